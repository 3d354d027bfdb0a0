#include <QtTest>

#include <cmath>
#include <vector>

#include "engine/match/peaks.h"
#include "engine/method/canonical.h"
#include "engine/reference/lcc.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;
using method::Extent;
using method::MaskedView;
using method::Outside;

namespace {

/// The peaks of the map that the definition gives.
std::vector<match::Peak> peaksOf(const MaskedView& scene, const MaskedView& templ, Extent extent,
                                 Outside outside, bool partial) {
    method::Problem problem;
    problem.scene = scene.extents();
    problem.templ = templ.extents();
    problem.extent = extent;
    const reference::ScoreMap judged = reference::Lcc(templ, outside).map(scene, extent);
    method::MatchMap map(judged.value.extents());
    method::MapFacts facts;
    facts.largestBound = 0x1p-24 + 1e-11;
    for (std::int64_t i = 0; i < map.value.count(); ++i) {
        map.value.data()[i] = static_cast<float>(judged.value.data()[i]);
        map.status.data()[i] = judged.status.data()[i];
        ++facts.statusCounts[static_cast<std::size_t>(judged.status.data()[i])];
    }
    match::PeakOptions options;
    options.minScore = 0.8;
    options.partialPeaks = partial;
    options.outside = outside;
    return match::findPeaks(
        scene,
        {{.templates = {templ},
          .value = map.value.view(),
          .status = map.status.view(),
          .facts = facts,
          .statistics = match::mapStatistics(map.value.view(), map.status.view()),
          .firstPlacement = method::firstPlacement(problem)}},
        {}, options);
}

/// Noise with copies of the template inside, and one that the left edge cuts.
struct Made {
    base::AnyImage scene = test::noise(PixelType::UInt8, {60, 50, 1}, 1);
    base::AnyImage templ = test::noise(PixelType::UInt8, {9, 8, 1}, 2);

    Made() {
        test::paste(scene, templ, {20, 10, 0});
        test::paste(scene, templ, {40, 30, 0});
        test::paste(scene, test::crop(templ, {{3, 0, 0}, {6, 8, 1}}), {0, 30, 0});
    }
};

} // namespace

class PartialPeaksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void cornersAreThoseOfTheSceneOnEveryExtent() {
        const Made made;
        const auto valid = peaksOf(made.scene, made.templ, Extent::Valid, Outside::Zero, false);
        QCOMPARE(valid.size(), std::size_t{2});
        QVERIFY((valid[0].corner == Index{20, 10, 0}));
        for (const Extent extent : {Extent::Same, Extent::Full}) {
            const auto found = peaksOf(made.scene, made.templ, extent, Outside::Zero, false);
            QCOMPARE(found.size(), valid.size());
            for (std::size_t i = 0; i < valid.size(); ++i) {
                QVERIFY(found[i].corner == valid[i].corner);
                QCOMPARE(found[i].score, valid[i].score);
                QCOMPARE(found[i].centre, valid[i].centre);
                QVERIFY(found[i].status == Status::Ok);
            }
        }
    }

    void aCutCopyIsAPeakOnRequest() {
        const Made made;
        for (const Extent extent : {Extent::Same, Extent::Full}) {
            const auto without = peaksOf(made.scene, made.templ, extent, Outside::Overlap, false);
            QCOMPARE(without.size(), std::size_t{2});
            const auto with = peaksOf(made.scene, made.templ, extent, Outside::Overlap, true);
            QCOMPARE(with.size(), std::size_t{3});
            const auto cut = std::find_if(with.begin(), with.end(), [](const match::Peak& peak) {
                return peak.status == Status::Partial;
            });
            QVERIFY(cut != with.end());
            QVERIFY((cut->corner == Index{-3, 30, 0}));
            QVERIFY(std::fabs(cut->score - 1) <= cut->bound);
            QVERIFY(std::fabs(cut->centre[0] - 1) <= 0.5);
        }
    }

    // The best placement inside lies beside a better one that leaves the scene.
    void whatDoesNotTakePartExcludesNothing() {
        base::AnyImage scene = test::mapped(test::noise(PixelType::Float32, {40, 40, 1}, 3),
                                            PixelType::Float32, [](double v) { return v / 20; });
        const base::AnyImage smooth =
            test::makeScene(PixelType::Float32, {10, 10, 1}, [](const Index& i) {
                return std::cos(0.35 * static_cast<double>(i.x - 5)) *
                       std::cos(0.35 * static_cast<double>(i.y - 5));
            });
        test::paste(scene, test::crop(smooth, {{1, 0, 0}, {9, 10, 1}}), {0, 15, 0});
        const auto with = peaksOf(scene, smooth, Extent::Same, Outside::Overlap, true);
        QVERIFY(!with.empty() && with.front().corner == (Index{-1, 15, 0}));
        const auto without = peaksOf(scene, smooth, Extent::Same, Outside::Overlap, false);
        QVERIFY(!without.empty());
        QVERIFY(without.front().status == Status::Ok && without.front().corner.x >= 0);
    }

    void aSceneMaskMakesItsEdgePartial() {
        const Made made;
        base::Image<std::uint8_t> mask({60, 50, 1}, std::uint8_t{1});
        mask.view().at(41, 31, 0) = 0; // inside the second copy
        const MaskedView scene(base::viewOf(made.scene), mask.view());
        const auto without = peaksOf(scene, made.templ, Extent::Valid, Outside::Overlap, false);
        QCOMPARE(without.size(), std::size_t{1});
        const auto with = peaksOf(scene, made.templ, Extent::Valid, Outside::Overlap, true);
        QCOMPARE(with.size(), std::size_t{2});
        QVERIFY(std::any_of(with.begin(), with.end(), [](const match::Peak& peak) {
            return peak.status == Status::Partial && peak.corner == Index{40, 30, 0};
        }));
    }

    void aMaskedTemplateIsFoundByWhatCounts() {
        Made made;
        base::Image<std::uint8_t> mask({9, 8, 1}, std::uint8_t{1});
        mask.view().at(4, 4, 0) = 0;
        test::setVoxel(made.templ, {4, 4, 0}, 255);
        const MaskedView templ(base::viewOf(made.templ), mask.view());
        const auto found = peaksOf(made.scene, templ, Extent::Valid, Outside::Zero, false);
        QCOMPARE(found.size(), std::size_t{2});
        QVERIFY(std::fabs(found[0].score - 1) <= found[0].bound);
    }
};

const flcc::test::TestClass<PartialPeaksTest> kPartialPeaksTest;
#include "partial_peaks_test.moc"
