#include <QtTest>

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
