#include <QtTest>

#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/match/exclusion.h"
#include "tests/engine/match/peak_judge.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using match::PeakOptions;

namespace {

/// A scene, a template cut from it, and their views.
struct Case {
    base::AnyImage scene;
    base::AnyImage templ;

    Case(base::AnyImage image, const base::Box& box)
        : scene(std::move(image)), templ(test::crop(scene, box)) {}
    Case(base::AnyImage image, base::AnyImage patch)
        : scene(std::move(image)), templ(std::move(patch)) {}

    [[nodiscard]] test::MapOf map(double bound = 0, std::uint64_t seed = 1) const {
        return test::mapWithErrors(base::viewOf(scene), base::viewOf(templ), bound, seed);
    }
    [[nodiscard]] std::vector<match::Peak> peaks(const test::MapOf& map,
                                                 const PeakOptions& options) const {
        return test::peaksOf(base::viewOf(scene), base::viewOf(templ), map, options);
    }
    [[nodiscard]] std::vector<match::Peak> peaks(const PeakOptions& options) const {
        return peaks(map(), options);
    }
    [[nodiscard]] std::vector<test::Place> judged(const PeakOptions& options) const {
        return test::judgedPeaks(base::viewOf(scene), base::viewOf(templ), options);
    }
};

/// A small asymmetric patch whose copies score 1.
base::AnyImage patch() {
    return test::makeScene(PixelType::UInt8, {4, 4, 1}, [](const base::Index& at) {
        return static_cast<double>((at.x * 37 + at.y * 91 + at.x * at.y * 13) % 200);
    });
}

/// Weak noise with copies of patch() at the corners given.
Case copiesAt(const base::Extents& extents, const std::vector<base::Index>& corners) {
    base::AnyImage scene = test::noise(PixelType::UInt8, extents, 7);
    for (const base::Index& corner : corners) {
        test::paste(scene, patch(), corner);
    }
    return {std::move(scene), patch()};
}

/// Waves of one axis: every placement along the other has the same score.
base::AnyImage stripes(const base::Extents& extents) {
    return test::makeScene(PixelType::UInt8, extents, [](const base::Index& at) {
        return static_cast<double>((at.x * at.x * 7 + at.x * 31) % 97);
    });
}

std::vector<base::Index> cornersOf(const std::vector<match::Peak>& peaks) {
    std::vector<base::Index> corners;
    for (const match::Peak& peak : peaks) {
        corners.push_back(peak.corner);
    }
    return corners;
}

void compareLists(const std::vector<match::Peak>& peaks, const std::vector<test::Place>& judged) {
    const std::string difference = test::firstDifference(peaks, judged);
    QVERIFY2(difference.empty(), difference.c_str());
}

} // namespace

class PeaksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theListIsThatOfTheDefinition_data();
    void theListIsThatOfTheDefinition();
    void errorsOfTheMapWithinItsBoundChangeNothing_data();
    void errorsOfTheMapWithinItsBoundChangeNothing();
    void marksOfLowConfidenceChangeNothing();
    void scoresOfLowConfidenceDecideNothing();
    void moreLowConfidenceThanCanBeScoredIsSaid();
    void plantedCopiesAreFoundInTheStatedOrder();
    void aPlateauGivesOnePeakItsFirstVoxel();
    void aBentPlateauGivesOnePeak();
    void aMapOfOnesHasItsFirstVoxelOnTop();
    void theMinimumDistanceIsKeptExactly();
    void theMinimumDistanceIsThatOfSpace();
    void automaticSuppressionReachesHalfTheTemplate();
    void noMoreThanTheBestAreListed();
    void thresholdOneStillFindsExactCopies();
    void flatAndNonFiniteVoxelsAreNeverPeaks();
    void copiesAtTheBordersAreFound();
    void aCopyIsFoundAtEveryVoxelOfARow();
    void aSceneOfOnePlacementHasOnePeak();
    void aStopEndsTheSearchWithAnEmptyList();
    void optionsWithoutSenseAreRefused();
};

void PeaksTest::theListIsThatOfTheDefinition_data() {
    QTest::addColumn<base::PixelType>("type");
    QTest::addColumn<std::vector<std::int64_t>>("extents");
    QTest::addColumn<bool>("smooth");
    QTest::addColumn<double>("minScore");
    QTest::addColumn<double>("distance"); // below 0: auto
    const auto row = [](const char* name, PixelType type, std::vector<std::int64_t> extents,
                        bool smooth, double minScore, double distance) {
        QTest::newRow(name) << type << std::move(extents) << smooth << minScore << distance;
    };
    row("noise", PixelType::UInt8, {61, 47, 1, 5, 4, 1}, false, 0.3, -1);
    row("texture", PixelType::Float32, {71, 53, 1, 9, 7, 1}, true, 0.2, -1);
    row("all maxima", PixelType::Float32, {40, 30, 1, 3, 3, 1}, false, -1, 0);
    row("distance 3", PixelType::UInt16, {50, 50, 1, 6, 6, 1}, true, 0, 3);
    row("distance 2.5", PixelType::UInt8, {50, 40, 1, 3, 2, 1}, false, 0, 2.5);
    row("distance beyond all", PixelType::UInt8, {30, 30, 1, 4, 4, 1}, false, 0, 1e308);
    row("volume", PixelType::Float32, {17, 15, 13, 4, 3, 3}, false, 0.1, -1);
    row("smooth volume", PixelType::Int16, {19, 14, 12, 5, 4, 3}, true, 0.1, 4);
    row("one row", PixelType::UInt8, {300, 1, 1, 7, 1, 1}, false, 0.2, -1);
    row("one column", PixelType::UInt8, {1, 300, 1, 1, 7, 1}, false, 0.2, 5);
    row("one line of slices", PixelType::Float32, {1, 1, 200, 1, 1, 5}, true, 0, -1);
}

void PeaksTest::theListIsThatOfTheDefinition() {
    QFETCH(base::PixelType, type);
    QFETCH(std::vector<std::int64_t>, extents);
    QFETCH(bool, smooth);
    QFETCH(double, minScore);
    QFETCH(double, distance);
    const base::Extents scene{extents[0], extents[1], extents[2]};
    const base::Extents templ{extents[3], extents[4], extents[5]};
    const Case made(
        smooth ? test::texture(type, scene, 3) : test::noise(type, scene, 3),
        base::Box{{(scene.x - templ.x) / 2, (scene.y - templ.y) / 3, (scene.z - templ.z) / 2},
                  templ});
    PeakOptions options;
    options.minScore = minScore;
    options.maxPeaks = 60;
    options.minDistance = distance < 0 ? std::nullopt : std::optional(distance);
    const std::vector<test::Place> judged = made.judged(options);
    QVERIFY(!judged.empty());
    compareLists(made.peaks(options), judged);
}

void PeaksTest::errorsOfTheMapWithinItsBoundChangeNothing_data() {
    QTest::addColumn<double>("bound");
    QTest::addColumn<bool>("volume");
    for (const double bound : {1e-7, 1e-4, 1e-2, 0.3}) {
        for (const bool volume : {false, true}) {
            if (!test::kSanitized || (bound < 1e-3) == volume) {
                QTest::addRow("bound %g, %s", bound, volume ? "volume" : "image")
                    << bound << volume;
            }
        }
    }
}

void PeaksTest::errorsOfTheMapWithinItsBoundChangeNothing() {
    QFETCH(double, bound);
    QFETCH(bool, volume);
    const base::Extents scene = volume ? base::Extents{22, 19, 11} : base::Extents{67, 58, 1};
    const base::Extents templ = volume ? base::Extents{5, 4, 3} : base::Extents{8, 8, 1};
    const Case made(test::texture(PixelType::Float32, scene, 11), base::Box{{5, 6, 0}, templ});
    for (const double minScore : {-1.0, 0.2, 0.7}) {
        PeakOptions options;
        options.minScore = minScore;
        options.maxPeaks = 25;
        const std::vector<match::Peak> exact = made.peaks(options);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const std::string difference =
                test::firstDifference(made.peaks(made.map(bound, seed), options), exact);
            QVERIFY2(difference.empty(), difference.c_str());
        }
        compareLists(exact, made.judged(options));
    }
}

void PeaksTest::marksOfLowConfidenceChangeNothing() {
    const Case made(test::texture(PixelType::UInt16, {60, 50, 1}, 5),
                    base::Box{{20, 20, 0}, {9, 9, 1}});
    const PeakOptions options{.minScore = 0.2};
    const std::vector<match::Peak> exact = made.peaks(options);
    test::MapOf marked = made.map(0.03, 9);
    marked.facts.largestLowConf = marked.facts.largestBound;
    marked.facts.largestBound = 0;
    marked.map.status.fill(base::Status::LowConf);
    const std::string difference = test::firstDifference(made.peaks(marked, options), exact);
    QVERIFY2(difference.empty(), difference.c_str());
    QCOMPARE(made.peaks(marked, options).front().status, base::Status::LowConf);
}

void PeaksTest::scoresOfLowConfidenceDecideNothing() {
    const Case made(test::texture(PixelType::UInt16, {60, 50, 1}, 5),
                    base::Box{{20, 20, 0}, {9, 9, 1}});
    const auto low = static_cast<std::size_t>(base::Status::LowConf);
    for (const double minScore : {0.2, -1.0, 0.9}) {
        const PeakOptions options{.minScore = minScore};
        const std::vector<match::Peak> exact = made.peaks(options);
        test::MapOf wild = made.map();
        base::Random random(3);
        for (std::int64_t i = 0; i < wild.map.value.count(); ++i) {
            if (random.uniform(0, 1) < 0.4) { // anything, also 0, which unknown scores have
                wild.map.value.data()[i] =
                    random.uniform(0, 1) < 0.5 ? 0.0F : static_cast<float>(random.uniform(-1, 1));
                wild.map.status.data()[i] = base::Status::LowConf;
                ++wild.facts.statusCounts[low];
            }
        }
        wild.facts.largestLowConf = std::numeric_limits<double>::infinity();
        std::string incomplete = "not yet known";
        const std::vector<match::Peak> peaks =
            match::findPeaks(base::viewOf(made.scene), {test::searchedMap(made.templ, wild)}, {},
                             options, {}, &incomplete);
        const std::string difference = test::firstDifference(peaks, exact);
        QVERIFY2(difference.empty(), difference.c_str());
        QCOMPARE(incomplete, std::string());
    }
}

void PeaksTest::moreLowConfidenceThanCanBeScoredIsSaid() {
    const Case made(test::noise(PixelType::UInt8, {1103, 1003, 1}, 5), patch());
    test::MapOf map{method::MatchMap({1100, 1000, 1}), {}};
    map.map.status.fill(base::Status::LowConf);
    map.facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)] = 1'100'000;
    const auto incomplete = [&](double bound) {
        map.facts.largestLowConf = bound;
        std::string why;
        (void)match::findPeaks(base::viewOf(made.scene), {test::searchedMap(made.templ, map)}, {},
                               {.minScore = 0.9}, {}, &why);
        return why;
    };
    QCOMPARE(incomplete(0.04), std::string()); // no score of 0 can be one of 0.9
    QCOMPARE(incomplete(2), std::string("1100000 voxels are LOWCONF with error bounds of up to 2, "
                                        "and the search scores at most 1000000 such voxels again; "
                                        "switch recomputing on"));
}

void PeaksTest::plantedCopiesAreFoundInTheStatedOrder() {
    const std::vector<base::Index> corners{{40, 3, 0}, {2, 9, 0}, {30, 9, 0}, {11, 30, 0}};
    const Case made = copiesAt({60, 50, 1}, corners);
    const std::vector<match::Peak> peaks = made.peaks({.minScore = 0.99});
    // Identical panels have identical scores; then z, y, x ascending.
    QCOMPARE(cornersOf(peaks), corners);
    for (const match::Peak& peak : peaks) {
        QCOMPARE(peak.score, peaks.front().score);
        QCOMPARE(peak.bound, 48 * 0x1p-53);
    }
}

void PeaksTest::aPlateauGivesOnePeakItsFirstVoxel() {
    const Case made(stripes({40, test::kSanitized ? 100 : 200, 1}),
                    base::Box{{10, 50, 0}, {7, 5, 1}});
    const PeakOptions options{.minScore = 0.999, .minDistance = 0};
    const std::vector<match::Peak> peaks = made.peaks(options);
    QCOMPARE(cornersOf(peaks), (std::vector<base::Index>{{10, 0, 0}}));
    // The score does not change along the plateau: no shift, no curvature there.
    QCOMPARE(peaks.front().shift[1], 0.0);
    QCOMPARE(peaks.front().curvature[1], 0.0);
    // And so do those of scores that are no floats.
    const PeakOptions all{.minScore = 0.1, .minDistance = 0};
    const std::vector<test::Place> judged = made.judged(all);
    QVERIFY(judged.size() > 3);
    compareLists(made.peaks(all), judged);
}

void PeaksTest::aBentPlateauGivesOnePeak() {
    // Scores of one delta are the same wherever it lies alone in the panel, so lonely voxels in a
    // chain make a plateau of any form: here a V whose arms begin on different rows.
    base::AnyImage scene =
        test::makeScene(PixelType::UInt8, {40, 40, 1}, [](const base::Index&) { return 10.0; });
    const std::vector<base::Index> bend{{8, 8, 0},  {9, 9, 0},  {10, 10, 0},
                                        {11, 9, 0}, {12, 8, 0}, {12, 7, 0}};
    for (const base::Index& at : bend) {
        test::setVoxel(scene, at, 100);
    }
    const Case made(std::move(scene),
                    test::makeScene(PixelType::UInt8, {2, 1, 1},
                                    [](const base::Index& at) { return at.x == 0 ? 50.0 : 0.0; }));
    const PeakOptions options{.minScore = 0.9, .minDistance = 0};
    const std::vector<test::Place> judged = made.judged(options);
    QCOMPARE(judged.size(), std::size_t{1});
    QVERIFY((judged.front().corner == base::Index{12, 7, 0}));
    compareLists(made.peaks(options), judged);
}

void PeaksTest::aMapOfOnesHasItsFirstVoxelOnTop() {
    const Case made(test::ramp(PixelType::Float32, {150, 150, 1}, 0, 298.0),
                    base::Box{{100, 100, 0}, {16, 16, 1}});
    test::MapOf map{method::MatchMap({135, 135, 1}), {}};
    map.map.value.fill(1);
    map.map.status.fill(base::Status::Ok);
    map.facts.largestBound = 1e-5;
    const std::vector<match::Peak> peaks = made.peaks(map, {});
    QVERIFY(!peaks.empty());
    QVERIFY((peaks.front().corner == base::Index{0, 0, 0}));
    QVERIFY(peaks.front().score > 0.999999);
}

void PeaksTest::theMinimumDistanceIsKeptExactly() {
    // 3-4-5: at exactly the distance both stay, a hair beyond it the second one goes.
    const std::vector<base::Index> corners{{20, 20, 0}, {40, 20, 0}, {23, 24, 0}};
    const base::AnyImage delta =
        test::makeScene(PixelType::UInt8, {2, 2, 1}, [](const base::Index& at) {
            return at == base::Index{0, 0, 0} ? 90.0 : 10.0;
        });
    base::AnyImage scene =
        test::makeScene(PixelType::UInt8, {60, 50, 1}, [](const base::Index&) { return 10.0; });
    for (const base::Index& corner : corners) {
        test::paste(scene, delta, corner);
    }
    const Case made(std::move(scene), base::Box{corners[0], {2, 2, 1}});
    QCOMPARE(cornersOf(made.peaks({.minScore = 0.99, .minDistance = 5})), corners);
    QCOMPARE(cornersOf(made.peaks({.minScore = 0.99, .minDistance = std::nextafter(5.0, 6.0)})),
             (std::vector<base::Index>{{20, 20, 0}, {40, 20, 0}}));
}

void PeaksTest::theMinimumDistanceIsThatOfSpace() {
    // Voxels of 1 x 3: 3 and 4 times 3 along the axes is a distance of hypot(3, 12).
    const double apart = std::hypot(3.0, 12.0);
    for (const double distance : {apart, std::nextafter(apart, 20.0)}) {
        match::Exclusion zone({2, 2, 1}, distance, {1, 3, 1});
        zone.add({20, 20, 0}, {2, 2, 1});
        QCOMPARE(zone.covers({23, 24, 0}, {2, 2, 1}), distance > apart);
        QVERIFY(zone.covers({23, 23, 0}, {2, 2, 1}));
        QVERIFY(!zone.covers({33, 20, 0}, {2, 2, 1}));
    }
}

void PeaksTest::automaticSuppressionReachesHalfTheTemplate() {
    // 4x4: within 2 voxels on every axis.
    const Case near = copiesAt({43, 43, 1}, {{10, 10, 0}, {12, 14, 0}});
    QCOMPARE(near.peaks({.minScore = 0.99}).size(), std::size_t{2});
    const PeakOptions all{.minScore = -1, .maxPeaks = 1000};
    for (const match::Peak& a : near.peaks(all)) {
        for (const match::Peak& b : near.peaks(all)) {
            QVERIFY(a.corner == b.corner || std::abs(a.corner.x - b.corner.x) > 2 ||
                    std::abs(a.corner.y - b.corner.y) > 2);
        }
    }
    compareLists(near.peaks(all), near.judged(all));
}

void PeaksTest::noMoreThanTheBestAreListed() {
    const Case made(test::noise(PixelType::UInt8, {80, 60, 1}, 21),
                    base::Box{{30, 30, 0}, {6, 6, 1}});
    const std::vector<match::Peak> many = made.peaks({.minScore = -1, .maxPeaks = 500});
    QVERIFY(many.size() > 20);
    for (const std::int64_t count : {1, 2, 7, 20}) {
        std::vector<match::Peak> first(many.begin(), many.begin() + count);
        const std::string difference =
            test::firstDifference(made.peaks({.minScore = -1, .maxPeaks = count}), first);
        QVERIFY2(difference.empty(), difference.c_str());
    }
    QVERIFY(made.peaks({.maxPeaks = 0}).empty());
}

void PeaksTest::thresholdOneStillFindsExactCopies() {
    const std::vector<base::Index> corners{{5, 6, 0}, {33, 21, 0}};
    const Case made = copiesAt({50, 40, 1}, corners);
    for (const double bound : {0.0, 1e-5, 1e-3}) {
        QCOMPARE(cornersOf(made.peaks(made.map(bound, 3), {.minScore = 1})), corners);
    }
}

void PeaksTest::flatAndNonFiniteVoxelsAreNeverPeaks() {
    base::AnyImage scene = test::noise(PixelType::Float32, {50, 40, 1}, 4);
    test::setVoxel(scene, {25, 20, 0}, std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t y = 2; y < 12; ++y) {
        for (std::int64_t x = 2; x < 12; ++x) {
            test::setVoxel(scene, {x, y, 0}, 3);
        }
    }
    const Case made(std::move(scene), base::Box{{38, 28, 0}, {4, 4, 1}});
    const test::MapOf map = made.map();
    QVERIFY(map.facts.statusCounts[static_cast<std::size_t>(base::Status::Flat)] > 0);
    QVERIFY(map.facts.statusCounts[static_cast<std::size_t>(base::Status::NonFinite)] > 0);
    const PeakOptions all{.minScore = -1, .maxPeaks = 1000, .minDistance = 0};
    const std::vector<match::Peak> peaks = made.peaks(map, all);
    for (const match::Peak& peak : peaks) {
        QCOMPARE(map.map.status.view().at(peak.corner), base::Status::Ok);
    }
    compareLists(peaks, made.judged(all));

    test::MapOf undefined = made.map();
    undefined.map.status.fill(base::Status::Flat);
    undefined.map.value.fill(1);
    QVERIFY(made.peaks(undefined, all).empty());
}

void PeaksTest::copiesAtTheBordersAreFound() {
    const std::vector<base::Index> corners{{0, 0, 0}, {46, 0, 0}, {0, 36, 0}, {46, 36, 0}};
    const Case made = copiesAt({50, 40, 1}, corners);
    const std::vector<match::Peak> peaks = made.peaks({.minScore = 0.99});
    QCOMPARE(cornersOf(peaks), corners);
    for (const match::Peak& peak : peaks) {
        QCOMPARE(peak.shift, (base::Point{0, 0, 0}));
    }
}

// Rows are searched in blocks of 64 voxels: no voxel between two blocks may be left out.
void PeaksTest::aCopyIsFoundAtEveryVoxelOfARow() {
    std::vector<base::Index> corners;
    for (std::int64_t row = 0; row < 5; ++row) {
        for (std::int64_t x = row; x < 200; x += 5) {
            corners.push_back({x, 5 * row, 0});
        }
    }
    const Case made = copiesAt({204, 26, 1}, corners);
    QCOMPARE(cornersOf(made.peaks({.minScore = 0.99, .maxPeaks = 1000})), corners);
}

void PeaksTest::aSceneOfOnePlacementHasOnePeak() {
    const Case made(patch(), patch());
    const std::vector<match::Peak> peaks = made.peaks({.minScore = 0.5});
    QCOMPARE(cornersOf(peaks), (std::vector<base::Index>{{0, 0, 0}}));
    QVERIFY(!peaks.front().rival);
    QVERIFY(!peaks.front().zscore);
}

void PeaksTest::aStopEndsTheSearchWithAnEmptyList() {
    const Case made = copiesAt({50, 40, 1}, {{5, 6, 0}});
    const test::MapOf map = made.map();
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(match::findPeaks(base::viewOf(made.scene), {test::searchedMap(made.templ, map)}, {}, {},
                             stop.get_token())
                .empty());
}

void PeaksTest::optionsWithoutSenseAreRefused() {
    const Case made = copiesAt({20, 20, 1}, {{5, 6, 0}});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const PeakOptions& options :
         {PeakOptions{.minScore = nan}, PeakOptions{.maxPeaks = -1}, PeakOptions{.minDistance = -1},
          PeakOptions{.minDistance = nan}}) {
        try {
            (void)made.peaks(options);
            QFAIL("options without sense are taken");
        } catch (const base::Error& error) {
            QCOMPARE(error.code(), base::ErrorCode::CommandLine);
        }
    }
}

const flcc::test::TestClass<PeaksTest> kPeaksTest;
#include "peaks_test.moc"
