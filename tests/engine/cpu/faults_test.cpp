#include <QtTest>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/engine/cpu/harness.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;

namespace {

test::MethodRun run(const test::Way& way, const base::AnyImage& scene,
                    const base::AnyImage& templ) {
    return test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
}

test::Tolerance toleranceOf(const test::Way& way, const base::AnyImage& scene,
                            const base::AnyImage& templ) {
    return {test::problemOf(base::viewOf(scene), base::viewOf(templ)), way.candidate,
            base::viewOf(scene)};
}

} // namespace

class FaultsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void exactlyThePanelsThatTouchNanAreMarked_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("bad");
        for (const PixelType type : {PixelType::Float32, PixelType::Float64}) {
            const std::string words(base::name(type));
            QTest::newRow((words + " NaN").c_str()) << static_cast<int>(type) << std::nan("");
            if (test::kSanitized) {
                continue;
            }
            QTest::newRow((words + " +Inf").c_str()) << static_cast<int>(type) << HUGE_VAL;
            QTest::newRow((words + " -Inf").c_str()) << static_cast<int>(type) << -HUGE_VAL;
        }
    }

    void exactlyThePanelsThatTouchNanAreMarked() {
        QFETCH(int, type);
        QFETCH(double, bad);
        base::AnyImage scene = test::texture(static_cast<PixelType>(type), {140, 110, 1}, 1);
        base::AnyImage volume = test::texture(static_cast<PixelType>(type), {30, 28, 26}, 2);
        for (const Index& at : {Index{70, 55, 0}, Index{0, 0, 0}, Index{139, 109, 0},
                                Index{71, 58, 0}, Index{20, 90, 0}}) {
            test::setVoxel(scene, at, bad);
            const std::string fault =
                test::judgeAll(scene, test::noise(static_cast<PixelType>(type), {9, 7, 1}, 3));
            QVERIFY2(fault.empty(), fault.c_str());
        }
        for (const Index& at : {Index{15, 14, 13}, Index{29, 27, 25}, Index{0, 27, 13}}) {
            test::setVoxel(volume, at, bad);
            const std::string fault =
                test::judgeAll(volume, test::noise(static_cast<PixelType>(type), {4, 5, 3}, 4));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void aSceneOfNanIsNonFiniteEverywhere() {
        for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            const base::AnyImage scene = test::makeScene(PixelType::Float32, {90, 80, 1},
                                                         [bad](const Index&) { return bad; });
            const base::AnyImage templ = test::noise(PixelType::Float32, {7, 7, 1}, 1);
            const std::string fault = test::judgeAll(scene, templ);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void nanInAConstantAreaOutranksFlat() {
        base::AnyImage scene =
            test::makeScene(PixelType::Float32, {90, 80, 1}, [](const Index&) { return 0.1; });
        test::setVoxel(scene, {40, 40, 0}, std::nan(""));
        const std::string fault =
            test::judgeAll(scene, test::noise(PixelType::Float32, {7, 7, 1}, 1));
        QVERIFY2(fault.empty(), fault.c_str());
    }

    // A scene that every method takes as one tile: its finite mean is 3, so a voxel of 3 counts
    // for the mean as much as one that does not count.
    void otherPanelsAreThoseOfARunWithTheMeanInPlaceOfNan() {
        test::Random random(5);
        base::AnyImage scene =
            test::makeScene(PixelType::Float32, {24, 20, 1}, [](const Index&) { return 3.0; });
        for (std::int64_t y = 0; y < 20; ++y) {
            for (std::int64_t x = 0; x < 24; x += 2) { // pairs about the mean
                const double swing = static_cast<double>(1 + random.below(50));
                test::setVoxel(scene, {x, y, 0}, 3 + swing);
                test::setVoxel(scene, {x + 1, y, 0}, 3 - swing);
            }
        }
        test::setVoxel(scene, {10, 9, 0}, 3);
        test::setVoxel(scene, {11, 9, 0}, 3);
        const base::AnyImage templ = test::noise(PixelType::Float32, {5, 4, 1}, 6);
        for (const test::Way& way : test::waysFor(scene, templ)) {
            const test::MethodRun clean = run(way, scene, templ);
            if (clean.regions.size() != 1) {
                continue; // several tiles have several means
            }
            for (const double bad : {std::nan(""), HUGE_VAL}) {
                base::AnyImage spoilt =
                    test::mapped(scene, PixelType::Float32, [](double value) { return value; });
                test::setVoxel(spoilt, {10, 9, 0}, bad);
                const test::MethodRun result = run(way, spoilt, templ);
                for (std::int64_t y = 0; y < 17; ++y) {
                    for (std::int64_t x = 0; x < 20; ++x) {
                        const bool touches = x >= 6 && x <= 10 && y >= 6 && y <= 9;
                        QCOMPARE(result.map.status.view().at(x, y, 0) == Status::NonFinite,
                                 touches);
                        const std::string difference =
                            touches ? std::string()
                                    : test::firstDifferentBit(result.map, clean.map,
                                                              {{x, y, 0}, {1, 1, 1}});
                        QVERIFY2(difference.empty(), (way.words() + difference).c_str());
                    }
                }
            }
        }
    }

    // S -> aS + b, T -> cT + d in integers: the scores of the original, with the sign of ac.
    void levelAndGainOfEitherSideDoNotMatter() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {90, 75, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {9, 10, 1}, 2);
        const reference::ScoreMap expected = test::judged(scene, templ);
        for (const auto& [a, b, c, d] :
             {std::array{1.0, 60000.0, 1.0, 0.0}, std::array{3.0, 7.0, 2.0, 1000.0},
              std::array{-5.0, 40000.0, 1.0, 3.0}, std::array{-1.0, 0.0, -1.0, 0.0},
              std::array{1.0, 0.0, -7.0, 9.0}}) {
            for (const PixelType type :
                 {PixelType::Int32, PixelType::Float32, PixelType::Float64}) {
                const auto changed =
                    test::mapped(scene, type, [a = a, b = b](double v) { return a * v + b; });
                const auto other =
                    test::mapped(templ, type, [c = c, d = d](double v) { return c * v + d; });
                reference::ScoreMap signedScores{base::Image<double>(expected.value.extents()),
                                                 base::Image<Status>(expected.value.extents())};
                for (std::int64_t i = 0; i < expected.value.count(); ++i) {
                    signedScores.value.data()[i] = (a * c > 0 ? 1 : -1) * expected.value.data()[i];
                    signedScores.status.data()[i] = expected.status.data()[i];
                }
                for (const test::Way& way : test::waysFor(changed, other)) {
                    const std::string fault = test::judge(way, changed, other, signedScores);
                    QVERIFY2(fault.empty(), fault.c_str());
                }
            }
        }
    }

    void aNegatedTemplateScoresMinusOneAtItsPlace() {
        const base::AnyImage scene = test::texture(PixelType::Int16, {120, 100, 1}, 3);
        const base::AnyImage templ = test::mapped(test::crop(scene, {{60, 41, 0}, {16, 15, 1}}),
                                                  PixelType::Int16, [](double v) { return -v; });
        for (const test::Way& way : test::waysFor(scene, templ)) {
            const test::MethodRun result = run(way, scene, templ);
            const Status status = result.map.status.view().at(60, 41, 0);
            QVERIFY2(toleranceOf(way, scene, templ)
                         .allows(result.map.value.view().at(60, 41, 0) + 1, {60, 41, 0},
                                 status == Status::LowConf),
                     way.words().c_str());
        }
    }

    void oneSliceOfAVolumeIsTheImage() {
        const base::AnyImage volume = test::texture(PixelType::UInt16, {90, 80, 5}, 4);
        const base::AnyImage templ = test::noise(PixelType::UInt16, {8, 9, 1}, 5);
        for (std::int64_t z = 0; z < 5; z += 2) {
            const base::AnyView slice =
                base::partOf(base::viewOf(volume), {{0, 0, z}, {90, 80, 1}});
            const base::AnyImage image = base::copyOf(slice);
            for (const test::Way& way : test::waysFor(image, templ)) {
                const std::string difference =
                    test::firstDifferentBit(run(way, image, templ).map,
                                            test::runMethod(way, slice, base::viewOf(templ)).map);
                QVERIFY2(difference.empty(), (way.words() + difference).c_str());
            }
        }
    }

    void anLMatchesOnlyUnflipped() {
        const Extents corner{5, 7, 4};
        for (const std::int64_t depth : {1, 4}) {
            const Extents m{5, 7, depth};
            // An L, and in 3D one arm more, so that no flip is the same shape.
            const base::AnyImage shape = test::makeScene(PixelType::UInt8, m, [&](const Index& i) {
                return (i.x == 0 && i.z == 0) || (i.y == 6 && i.z == 0) ||
                               (i.x == 0 && i.y == 6 && i.z < corner.z)
                           ? 200
                           : 10;
            });
            for (int flips = 0; flips < (depth > 1 ? 8 : 4); ++flips) {
                base::AnyImage scene = test::noise(PixelType::UInt8, {60, 50, depth + 9}, 6);
                if (depth == 1) {
                    scene = test::crop(scene, {{0, 0, 0}, {60, 50, 1}});
                }
                const Index at{31, 22, depth > 1 ? 5 : 0};
                test::paste(
                    scene,
                    test::flipped(shape, (flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0), at);
                for (const test::Way& way : test::waysFor(scene, shape)) {
                    const test::MethodRun result = run(way, scene, shape);
                    const float score = result.map.value.view().at(at);
                    const bool lowConf = result.map.status.view().at(at) == Status::LowConf;
                    QVERIFY2(flips == 0
                                 ? toleranceOf(way, scene, shape).allows(1 - score, at, lowConf)
                                 : score < 0.9,
                             way.words().c_str());
                }
            }
        }
    }

    // One voxel in nothing, and a template with one voxel at its anchor (its first voxel), or
    // anywhere else: 1 where they meet, negative where the panel sees it elsewhere, FLAT beyond.
    void aDeltaIsFoundWhereTheAnchorSays() {
        const std::int64_t step = test::kSanitized ? 3 : 1;
        for (std::int64_t my = 1; my <= 8; my += step) {
            for (std::int64_t mx = 1; mx <= 8; mx += step) {
                for (const std::int64_t mz : {1, 3}) {
                    judgeDelta({mx, my, mz}, {0, 0, 0});
                    judgeDelta({mx, my, mz}, {mx - 1, my / 2, mz / 2});
                }
            }
        }
    }

  private:
    static void judgeDelta(const Extents& m, const Index& anchor) {
        if (base::voxelCount(m) < 2 || QTest::currentTestFailed()) {
            return;
        }
        const Index place{11, 10, m.z > 1 ? 4 : 0};
        const Extents n{23, 21, m.z > 1 ? 9 : 1};
        const auto delta = [](const Extents& extents, const Index& at) {
            return test::makeScene(PixelType::Float32, extents,
                                   [&](const Index& i) { return i == at ? 3.0 : 0.0; });
        };
        const base::AnyImage scene = delta(n, place);
        const base::AnyImage templ = delta(m, anchor);
        const Index corner{place.x - anchor.x, place.y - anchor.y, place.z - anchor.z};
        for (const test::Way& way : test::waysFor(scene, templ)) {
            const test::MethodRun result = run(way, scene, templ);
            const test::Tolerance tolerance = toleranceOf(way, scene, templ);
            const Extents map = result.map.value.extents();
            for (std::int64_t z = 0; z < map.z; ++z) {
                for (std::int64_t y = 0; y < map.y; ++y) {
                    for (std::int64_t x = 0; x < map.x; ++x) {
                        const Status status = result.map.status.view().at(x, y, z);
                        const bool sees = x <= place.x && place.x < x + m.x && y <= place.y &&
                                          place.y < y + m.y && z <= place.z && place.z < z + m.z;
                        QCOMPARE(status == Status::Flat, !sees);
                        if (!sees) {
                            continue;
                        }
                        const double expected =
                            Index{x, y, z} == corner
                                ? 1
                                : -1.0 / static_cast<double>(base::voxelCount(m) - 1);
                        const double error = result.map.value.view().at(x, y, z) - expected;
                        if (!tolerance.allows(std::fabs(error), {x, y, z},
                                              status == Status::LowConf)) {
                            QFAIL(way.words().c_str());
                        }
                    }
                }
            }
        }
    }
};

const flcc::test::TestClass<FaultsTest> kFaultsTest;
#include "faults_test.moc"
