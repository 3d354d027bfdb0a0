#include <QtTest>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/plan/planner.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/comparison.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;

namespace {

base::AnyImage uniform(PixelType type, const Extents& extents, double value) {
    return test::makeScene(type, extents, [value](const Index&) { return value; });
}

test::MethodRun run(const test::Way& way, const base::AnyImage& scene,
                    const base::AnyImage& templ) {
    return test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
}

/// The first bit in which any method's map of the second problem differs from that of the first.
std::string firstChange(const base::AnyImage& scene, const base::AnyImage& templ,
                        const base::AnyImage& otherScene, const base::AnyImage& otherTempl) {
    for (const test::Way& way : test::waysFor(scene, templ)) {
        const std::string difference = test::firstDifferentBit(
            run(way, scene, templ).map, run(way, otherScene, otherTempl).map);
        if (!difference.empty()) {
            return way.words() + ": " + difference;
        }
    }
    return {};
}

} // namespace

class NumbersTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aConstantSceneIsFlatEverywhere_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("value");
        QTest::newRow("uint8 77") << static_cast<int>(PixelType::UInt8) << 77.0;
        QTest::newRow("uint16 65535") << static_cast<int>(PixelType::UInt16) << 65535.0;
        QTest::newRow("int64 2^60") << static_cast<int>(PixelType::Int64) << 0x1p60;
        QTest::newRow("float32 0.1") << static_cast<int>(PixelType::Float32) << 0.1;
        QTest::newRow("float64 0.1") << static_cast<int>(PixelType::Float64) << 0.1;
        QTest::newRow("float32 0") << static_cast<int>(PixelType::Float32) << 0.0;
        QTest::newRow("float64 1e300") << static_cast<int>(PixelType::Float64) << 1e300;
        QTest::newRow("float64 1e-310") << static_cast<int>(PixelType::Float64) << 1e-310;
    }

    void aConstantSceneIsFlatEverywhere() {
        QFETCH(int, type);
        QFETCH(double, value);
        const base::AnyImage scene = uniform(static_cast<PixelType>(type), {100, 90, 1}, value);
        const base::AnyImage templ = test::noise(static_cast<PixelType>(type), {31, 31, 1}, 1);
        for (const test::Way& way : test::waysFor(scene, templ)) {
            const test::MethodRun result = run(way, scene, templ);
            const std::string fault = test::runFault(result);
            QVERIFY2(fault.empty(), fault.c_str());
            QCOMPARE(result.outcome.facts.statusCounts[static_cast<std::size_t>(Status::Flat)],
                     result.map.value.count());
            for (std::int64_t i = 0; i < result.map.value.count(); ++i) {
                QCOMPARE(result.map.value.data()[i], 0.0F);
            }
        }
    }

    void anImpossibleTemplateIsRefusedByEveryMethod() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {50, 50, 1}, 1);
        std::vector<base::AnyImage> impossible;
        impossible.push_back(uniform(PixelType::Float32, {9, 9, 1}, 0.1));
        impossible.push_back(uniform(PixelType::UInt8, {9, 9, 1}, 7));
        impossible.push_back(uniform(PixelType::Float64, {9, 9, 1}, 0.1));
        impossible.push_back(uniform(PixelType::Float32, {1, 1, 1}, 5));
        for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            impossible.push_back(test::noise(PixelType::Float32, {9, 9, 1}, 2));
            test::setVoxel(impossible.back(), {8, 8, 0}, bad);
        }
        for (const base::AnyImage& templ : impossible) {
            const method::Problem problem =
                test::problemOf(base::viewOf(scene), base::viewOf(templ));
            for (const test::Way& way : test::waysFor(scene, templ)) {
                base::TilePool pool(1);
                try {
                    (void)way.method->prepare(problem, way.candidate, base::viewOf(templ), pool);
                    QFAIL(way.words().c_str());
                } catch (const base::Error& error) {
                    QVERIFY(error.code() == base::ErrorCode::Problem);
                }
            }
        }
    }

    // Constant areas, constant rows, constant columns, steps: exactly the constant panels are FLAT.
    void exactlyTheConstantPanelsAreFlat_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("pattern");
        for (const PixelType type : {PixelType::UInt8, PixelType::UInt16, PixelType::Int32,
                                     PixelType::Float32, PixelType::Float64}) {
            for (int pattern = 0; pattern < 6; ++pattern) {
                QTest::newRow(
                    (std::string(base::name(type)) + " pattern " + std::to_string(pattern)).c_str())
                    << static_cast<int>(type) << pattern;
            }
        }
    }

    void exactlyTheConstantPanelsAreFlat() {
        QFETCH(int, type);
        QFETCH(int, pattern);
        test::Random random(8);
        const auto level = [&](const Index& i) {
            switch (pattern) {
            case 0: // a constant area in noise
                return i.x > 20 && i.x < 70 && i.y > 10 && i.y < 40
                           ? 50
                           : static_cast<int>(random.below(100));
            case 1: // rows
                return static_cast<int>(i.y % 7);
            case 2: // columns
                return static_cast<int>(i.x % 7);
            case 3: // one voxel in nothing
                return i.x == 45 && i.y == 27 ? 1 : 0;
            case 4: // blocks
                return static_cast<int>((i.x / 16 + i.y / 16) % 3);
            default: // one step in the middle
                return i.x < 48 ? 3 : 4;
            }
        };
        // 0.1 and its multiples are not exact: the window sums of a constant area are not either.
        const base::AnyImage scene =
            test::makeScene(static_cast<PixelType>(type), {95, 61, 1}, [&](const Index& i) {
                return base::isInteger(static_cast<PixelType>(type)) ? 100 + level(i)
                                                                     : 1e4 + 0.1 * level(i);
            });
        for (const Extents& m : {Extents{9, 8, 1}, Extents{2, 1, 1}, Extents{1, 12, 1}}) {
            const base::AnyImage templ = test::noise(static_cast<PixelType>(type), m, 9);
            const std::string fault = test::judgeAll(scene, templ);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void flatBlocksOfAVolumeAreFound() {
        for (const PixelType type : {PixelType::UInt16, PixelType::Float32}) {
            const base::AnyImage scene = test::makeScene(type, {23, 21, 19}, [](const Index& i) {
                return 7.1 + 0.3 * static_cast<double>((i.x / 8 + i.y / 7 + i.z / 6) % 3 * 10);
            });
            const std::string fault = test::judgeAll(scene, test::noise(type, {4, 3, 5}, 1));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void oneCountOverAHighLevelIsExact() {
        const base::AnyImage image = test::oneCountOver(PixelType::UInt16, {512, 512, 1}, 60000, 1);
        const base::AnyImage patch = test::crop(image, {{300, 217, 0}, {24, 24, 1}});
        std::string fault = test::judgeSampled(image, patch, {{300, 217, 0}}, 300);
        QVERIFY2(fault.empty(), fault.c_str());
        const base::AnyImage volume = test::oneCountOver(PixelType::UInt16, {64, 64, 64}, 60000, 2);
        const base::AnyImage block = test::crop(volume, {{30, 21, 17}, {8, 8, 8}});
        fault = test::judgeSampled(volume, block, {{30, 21, 17}}, 300);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void aRampMatchesItselfEverywhere() {
        for (const PixelType type : {PixelType::Int32, PixelType::Float32, PixelType::Float64}) {
            const base::AnyImage scene = test::makeScene(type, {257, 256, 1}, [](const Index& i) {
                return 2048.0 * static_cast<double>(i.x + i.y);
            });
            const base::AnyImage templ = test::crop(scene, {{100, 50, 0}, {11, 13, 1}});
            for (const test::Way& way : test::waysFor(scene, templ)) {
                const test::MethodRun result = run(way, scene, templ);
                const test::Tolerance tolerance(
                    test::problemOf(base::viewOf(scene), base::viewOf(templ)), way.candidate,
                    base::viewOf(scene));
                for (std::int64_t y = 0; y < 244; ++y) {
                    for (std::int64_t x = 0; x < 247; ++x) {
                        const Status status = result.map.status.view().at(x, y, 0);
                        QVERIFY(base::hasValue(status));
                        const float score = result.map.value.view().at(x, y, 0);
                        if (!tolerance.allows(1 - score, {x, y, 0}, status == Status::LowConf)) {
                            QFAIL(way.words().c_str());
                        }
                    }
                }
            }
        }
    }

    void aFaintCopyBesideStrongContrastIsFound() {
        test::Random random(3);
        base::AnyImage scene =
            test::makeScene(PixelType::Float32, {160, 120, 1}, [&](const Index& i) {
                return random.normal() * (i.x < 80 ? 1e4 : 1e-2);
            });
        const base::AnyImage templ = test::crop(scene, {{120, 40, 0}, {12, 12, 1}});
        const std::string fault = test::judgeAll(scene, templ);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void besideAHotPixelScoresAreRightOrMarked() {
        for (const double value : {1e6, -1e6, 1e9}) {
            base::AnyImage scene = test::noise(PixelType::Float32, {150, 140, 1}, 4);
            test::setVoxel(scene, {75, 70, 0}, value);
            for (const Index& at : {Index{30, 40, 0}, Index{78, 72, 0}, Index{70, 66, 0}}) {
                const base::AnyImage templ = test::crop(scene, {at, {11, 9, 1}});
                const std::string fault = test::judgeAll(scene, templ);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void aPowerOfTwoChangesNoBit() {
        const auto check = [](PixelType type, const std::vector<int>& powers) {
            const base::AnyImage scene = test::texture(type, {150, 130, 1}, 1);
            const base::AnyImage templ = test::noise(type, {12, 11, 1}, 2);
            for (const int power : powers) {
                const auto scale = [power](double v) { return std::scalbn(v, power); };
                const base::AnyImage scaled = test::mapped(scene, type, scale);
                const base::AnyImage other = test::mapped(templ, type, scale);
                std::string change = firstChange(scene, templ, scaled, templ);
                QVERIFY2(change.empty(), (std::to_string(power) + " " + change).c_str());
                change = firstChange(scene, templ, scene, other);
                QVERIFY2(change.empty(), (std::to_string(power) + " " + change).c_str());
            }
        };
        check(PixelType::Float32, {-100, -3, 3, 100, 120});
        check(PixelType::Float64, {-900, -700, 700, 1000});
    }

    void subnormalsAreNotFlat() {
        for (const PixelType type : {PixelType::Float32, PixelType::Float64}) {
            const double unit = type == PixelType::Float32
                                    ? std::numeric_limits<float>::denorm_min()
                                    : std::numeric_limits<double>::denorm_min();
            test::Random random(6);
            const base::AnyImage scene = test::makeScene(type, {70, 60, 1}, [&](const Index& i) {
                return i.x < 20 ? 0.0 : unit * static_cast<double>(random.below(100));
            });
            const base::AnyImage templ = test::crop(scene, {{40, 30, 0}, {8, 7, 1}});
            const std::string fault = test::judgeAll(scene, templ);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void checkersOfTheWidestPixelsAreExact() {
        test::Random random(2);
        const base::AnyImage scene =
            test::makeScene(PixelType::UInt16, {270, 265, 1}, [&](const Index& i) {
                return ((i.x + i.y) % 2 == 0) != (random.below(64) == 0) ? 65535.0 : 0.0;
            });
        const base::AnyImage templ = test::crop(scene, {{5, 3, 0}, {256, 256, 1}});
        const std::string fault = test::judgeSampled(scene, templ, {{5, 3, 0}}, 40);
        QVERIFY2(fault.empty(), fault.c_str());
    }
};

const flcc::test::TestClass<NumbersTest> kNumbersTest;
#include "numbers_test.moc"
