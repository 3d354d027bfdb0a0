#include <QtTest>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

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

} // namespace

/// Numbers that the cases of the self-test (engine/selftest/cases.cpp) leave out.
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

    void aNegatedTemplateScoresMinusOneAtItsPlace() {
        const base::AnyImage scene = test::texture(PixelType::Int16, {120, 100, 1}, 3);
        const base::AnyImage templ = test::mapped(test::crop(scene, {{60, 41, 0}, {16, 15, 1}}),
                                                  PixelType::Int16, [](double v) { return -v; });
        for (const test::Way& way : test::waysFor(scene, templ)) {
            const test::MethodRun result = run(way, scene, templ);
            const Status status = result.map.status.view().at(60, 41, 0);
            const test::Tolerance tolerance(
                test::problemOf(base::viewOf(scene), base::viewOf(templ)), way.candidate,
                base::viewOf(scene));
            QVERIFY2(tolerance.allows(result.map.value.view().at(60, 41, 0) + 1, {60, 41, 0},
                                      status == Status::LowConf),
                     way.words().c_str());
        }
    }
};

const flcc::test::TestClass<NumbersTest> kNumbersTest;
#include "numbers_test.moc"
