#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/method/problem.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

namespace {

method::SceneStatistics of(const base::AnyImage& scene, const Extents& templ) {
    return method::sceneStatistics(base::viewOf(scene), templ);
}

} // namespace

class StatisticsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void rangeAndMeanAreThoseOfTheVoxels() {
        for (int type = 0; type < 10; ++type) {
            const base::AnyImage scene =
                test::makeScene(static_cast<PixelType>(type), {11, 5, 2},
                                [](const Index& i) { return static_cast<double>(i.x + 11 * i.y); });
            const method::SceneStatistics statistics = of(scene, {3, 3, 1});
            QCOMPARE(statistics.minimum, 0.0);
            QCOMPARE(statistics.maximum, 54.0);
            QCOMPARE(statistics.mean, 27.0);
            QCOMPARE(statistics.nonFinite, std::int64_t{0});
        }
    }

    void nonFiniteVoxelsAreCountedAndLeftOut() {
        base::AnyImage scene = test::makeScene(PixelType::Float32, {8, 8, 1},
                                               [](const Index& i) { return i.x < 4 ? 1.0 : 3.0; });
        for (std::int64_t x = 0; x < 4; ++x) {
            test::setVoxel(scene, {x, 0, 0}, x == 0 ? HUGE_VAL : x == 1 ? -HUGE_VAL : std::nan(""));
        }
        const method::SceneStatistics statistics = of(scene, {2, 2, 1});
        QCOMPARE(statistics.nonFinite, std::int64_t{4});
        QCOMPARE(statistics.minimum, 1.0);
        QCOMPARE(statistics.maximum, 3.0);
        // 28 ones and 32 threes.
        QVERIFY(std::fabs(statistics.mean - (28.0 + 96.0) / 60.0) <= 64 * 0x1p-53 * 3);
        QVERIFY(std::isfinite(statistics.lowContrast));
    }

    void energiesBoundThoseOfAllPanels_data() {
        QTest::addColumn<Extents>("scene");
        QTest::addColumn<Extents>("templ");
        QTest::newRow("wide") << Extents{61, 47, 1} << Extents{33, 25, 1};
        QTest::newRow("a quarter") << Extents{64, 40, 1} << Extents{16, 10, 1};
        QTest::newRow("the whole scene") << Extents{40, 30, 1} << Extents{40, 30, 1};
        QTest::newRow("few voxels") << Extents{9, 5, 1} << Extents{3, 2, 1};
        QTest::newRow("volume") << Extents{21, 18, 15} << Extents{11, 9, 12};
        QTest::newRow("line") << Extents{200, 1, 1} << Extents{120, 1, 1};
    }
    void energiesBoundThoseOfAllPanels() {
        QFETCH(Extents, scene);
        QFETCH(Extents, templ);
        // A bright corner, so that panels differ.
        const base::AnyImage image =
            test::makeScene(PixelType::Float32, scene, [&](const Index& i) {
                const auto hash = static_cast<double>((i.x * 7919 + i.y * 104729 + i.z * 31) % 101);
                return 500 + hash * (i.x < scene.x / 3 && i.y <= scene.y / 3 ? 30 : 1);
            });
        const auto energyOf = [&](const base::Box& box) {
            const auto panel = std::get<base::Image<float>>(image).view().part(box);
            double sum = 0;
            double squares = 0;
            for (std::int64_t z = 0; z < box.extents.z; ++z) {
                for (std::int64_t y = 0; y < box.extents.y; ++y) {
                    for (std::int64_t x = 0; x < box.extents.x; ++x) {
                        const double value = static_cast<double>(panel.at(x, y, z)) - 500;
                        sum += value;
                        squares += value * value;
                    }
                }
            }
            return squares - sum * sum / static_cast<double>(base::voxelCount(box.extents));
        };
        double least = HUGE_VAL;
        const Extents map = base::validExtents(scene, templ);
        for (std::int64_t z = 0; z < map.z; ++z) {
            for (std::int64_t y = 0; y < map.y; ++y) {
                for (std::int64_t x = 0; x < map.x; ++x) {
                    least = std::min(least, energyOf({{x, y, z}, templ}));
                }
            }
        }
        const method::SceneStatistics statistics = of(image, templ);
        const double rounding = 1e-9 * statistics.energy; // of these sums
        QVERIFY(statistics.energy >= energyOf({{0, 0, 0}, scene}) - rounding);
        QVERIFY(statistics.leastEnergy > 0);
        QVERIFY(statistics.leastEnergy <= least + rounding);
        QVERIFY(statistics.leastEnergy > least / 8); // a bound that says something
        QVERIFY(std::isfinite(method::largestK(statistics)));
    }

    void energiesAreNotKnownOfSmallTemplatesMasksAndNan() {
        base::AnyImage scene = test::makeScene(PixelType::Float32, {40, 30, 1}, [](const Index& i) {
            return static_cast<double>(i.x * i.y % 7);
        });
        QVERIFY(of(scene, {20, 20, 1}).leastEnergy > 0);
        QCOMPARE(of(scene, {9, 20, 1}).leastEnergy, 0.0);
        QVERIFY(std::isinf(method::largestK(of(scene, {9, 20, 1}))));
        base::Image<std::uint8_t> mask({40, 30, 1}, std::uint8_t{1});
        mask.data()[0] = 0;
        QCOMPARE(
            method::sceneStatistics({base::viewOf(scene), mask.view()}, {20, 20, 1}).leastEnergy,
            0.0);
        test::setVoxel(scene, {3, 3, 0}, std::nan(""));
        QCOMPARE(of(scene, {20, 20, 1}).leastEnergy, 0.0);
    }

    void voxelsOutsideTheMaskAreLeftOut() {
        base::AnyImage scene = test::makeScene(PixelType::Float32, {8, 8, 1},
                                               [](const Index& i) { return i.x < 4 ? 1.0 : 3.0; });
        base::Image<std::uint8_t> mask({8, 8, 1}, std::uint8_t{1});
        for (std::int64_t x = 0; x < 4; ++x) {
            test::setVoxel(scene, {x, 0, 0}, x == 0 ? 1e6 : std::nan(""));
            mask.view().at(x, 0, 0) = x < 2 ? 0 : 1;
        }
        const method::SceneStatistics statistics =
            method::sceneStatistics({base::viewOf(scene), mask.view()}, {2, 2, 1});
        QCOMPARE(statistics.nonFinite, std::int64_t{2});
        QCOMPARE(statistics.maximum, 3.0);
        QVERIFY(std::fabs(statistics.mean - (28.0 + 96.0) / 60.0) <= 64 * 0x1p-53 * 3);
    }

    void aSceneWithoutAFiniteVoxelHasZeros() {
        const base::AnyImage scene = test::makeScene(PixelType::Float64, {5, 5, 1},
                                                     [](const Index&) { return std::nan(""); });
        const method::SceneStatistics statistics = of(scene, {2, 2, 1});
        QCOMPARE(statistics.nonFinite, std::int64_t{25});
        QCOMPARE(statistics.minimum, 0.0);
        QCOMPARE(statistics.maximum, 0.0);
        QCOMPARE(statistics.mean, 0.0);
        QCOMPARE(statistics.lowContrast, 0.0);
    }

    void theLowContrastIsThatOfTheDimPart() {
        // Nine tenths with deviation 100, one tenth with deviation 1.
        test::Random random(1);
        const base::AnyImage scene =
            test::makeScene(PixelType::Float32, {400, 400, 1}, [&](const Index& i) {
                return random.normal() * (i.x < 360 ? 100 : 1);
            });
        const double low = of(scene, {16, 16, 1}).lowContrast;
        QVERIFY2(low > 0.8 && low < 1.2, std::to_string(low).c_str());
    }

    void theLowContrastKnowsNoLevel() {
        const base::AnyImage scene = test::noise(PixelType::Float64, {64, 64, 1}, 1);
        const base::AnyImage raised =
            test::mapped(scene, PixelType::Float64, [](double v) { return v + 0x1p40; });
        const double low = of(scene, {8, 8, 1}).lowContrast;
        // 2^40 leaves 12 bits behind the point.
        QVERIFY(std::fabs(of(raised, {8, 8, 1}).lowContrast - low) <= 0x1p-12);
    }

    void aConstantSceneHasNoContrast() {
        const base::AnyImage scene =
            test::makeScene(PixelType::Float64, {20, 20, 5}, [](const Index&) { return 0.1; });
        const method::SceneStatistics statistics = of(scene, {5, 5, 5});
        QCOMPARE(statistics.lowContrast, 0.0);
        QVERIFY(std::fabs(statistics.mean - 0.1) <= 2000 * 0x1p-53);
    }

    void aTemplateAsLargeAsTheSceneIsFine() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {7, 1, 1}, 1);
        QVERIFY(of(scene, {7, 1, 1}).lowContrast > 0);
    }
};

const flcc::test::TestClass<StatisticsTest> kStatisticsTest;
#include "statistics_test.moc"
