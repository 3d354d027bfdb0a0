#include <QtTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile/scene_frame.h"
#include "engine/method/problem.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

namespace {

/// Voxels of `steps` random steps of `quantum` above `origin`.
base::AnyImage gridScene(PixelType type, const Extents& extents, double steps, double quantum,
                         double origin, std::uint64_t seed) {
    test::Random random(seed);
    return test::makeScene(type, extents, [&](const Index&) {
        return origin + quantum * std::floor((steps + 1) * random.uniform());
    });
}

/// Bytes in two textures, one of them flat in places.
base::AnyImage byteFloats(const std::function<double(double)>& change) {
    base::AnyImage bytes = test::noise(PixelType::UInt8, {120, 90, 1}, 4);
    test::paste(bytes,
                test::makeScene(PixelType::UInt8, {40, 30, 1}, [](const Index&) { return 77.0; }),
                {60, 20, 0});
    return test::mapped(bytes, PixelType::Float32, change);
}

/// Largest bound and recomputed voxels of `direct` in single precision, worst of its tiles.
struct Reported {
    double bound = 0;
    std::int64_t recomputed = 0;
};
Reported reportedByDirect(const base::AnyImage& scene, const base::AnyImage& templ) {
    Reported reported;
    for (const test::Way& way : test::waysFor(scene, templ)) {
        if (way.candidate.method == "direct" && way.precision == method::Precision::Single) {
            const auto facts = test::runMethod(way, scene, templ).outcome.facts;
            reported.bound = std::max({reported.bound, facts.largestBound, facts.largestLowConf});
            reported.recomputed = std::max(reported.recomputed, facts.recomputed);
        }
    }
    return reported;
}

/// Of the first `count` voxels of a row.
bool isOnGrid(const std::vector<float>& row, std::int64_t count, double quantum,
              std::uint32_t& bits) {
    return cpu::simd::isOnGrid({row.data(), {count, 1, 1}}, quantum, 0, bits);
}

/// What is left of a numerator that is exact: the roundings of a score in single precision.
constexpr double kRoundings = 0x1p-21;

} // namespace

/// Floats that are few-bit numbers times a power of two are matched without rounding.
class GridsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void multiplesAreRecognised_data() {
        QTest::addColumn<QString>("set");
        for (const std::string& set : cpu::simd::instructionSets()) {
            QTest::newRow(set.c_str()) << QString::fromStdString(set);
        }
    }

    void multiplesAreRecognised() {
        QFETCH(QString, set);
        cpu::simd::forceInstructionSet(set.toStdString());
        for (const int exponent : {-149, -100, -23, 0, 5, 97, 103}) {
            const double quantum = std::ldexp(1.0, exponent);
            for (const std::int64_t count : {1, 15, 16, 17, 37}) {
                std::vector<float> row;
                for (std::int64_t i = 0; i < count; ++i) {
                    row.push_back(static_cast<float>(quantum * static_cast<double>(12 * (i - 9))));
                }
                row.back() = std::numeric_limits<float>::quiet_NaN();
                row.push_back(static_cast<float>(quantum * 0x1p23)); // not looked at
                std::uint32_t bits = 0;
                QVERIFY(isOnGrid(row, count, quantum, bits));
                QCOMPARE(bits == 0, count == 1);
                QVERIFY(bits == 0 || std::countr_zero(bits) == 2);
                // An infinity is no multiple of anything.
                for (const float infinite : {HUGE_VALF, -HUGE_VALF}) {
                    row[static_cast<std::size_t>(count - 1)] = infinite;
                    std::uint32_t same = 0;
                    QVERIFY(isOnGrid(row, count, quantum, same));
                    QCOMPARE(same, bits);
                }
                // Half a step anywhere, where a float has one.
                for (std::int64_t i = 0; i < count && exponent > -149; ++i) {
                    std::vector<float> off = row;
                    off[static_cast<std::size_t>(i)] = static_cast<float>(quantum * 2.5);
                    QVERIFY(!isOnGrid(off, count, quantum, bits));
                    // Too small to show beside a step.
                    off[static_cast<std::size_t>(i)] = std::numeric_limits<float>::denorm_min();
                    QVERIFY(!isOnGrid(off, count, quantum, bits));
                }
            }
        }
        cpu::simd::forceInstructionSet("");
    }

    void multiplesAreOfAllRowsAndOfTheBitsAllowed_data() { multiplesAreRecognised_data(); }

    void multiplesAreOfAllRowsAndOfTheBitsAllowed() {
        QFETCH(QString, set);
        cpu::simd::forceInstructionSet(set.toStdString());
        for (const Extents& n : {Extents{3, 2, 2}, Extents{17, 3, 1}, Extents{32, 2, 3}}) {
            base::Image<float> image({n.x + 2, n.y, n.z}, 0.5F); // not looked at
            base::View<float> view(image.data(), n, n.x + 2, (n.x + 2) * n.y);
            for (std::int64_t i = 0; i < n.x * n.y * n.z; ++i) {
                view.at(i % n.x, i / n.x % n.y, i / n.x / n.y) = static_cast<float>(4 * i);
            }
            const auto bitsWithout = [&](std::uint32_t beyond) {
                std::uint32_t bits = 0;
                return cpu::simd::isOnGrid(view, 1, beyond, bits) ? bits : 0;
            };
            QCOMPARE(std::countr_zero(bitsWithout(3)), 2);
            QCOMPARE(bitsWithout(4), 0U);
            for (const base::Index& at : {Index{0, 0, 0}, Index{n.x - 1, n.y - 1, n.z - 1}}) {
                const float before = view.at(at);
                view.at(at) = 6;
                QCOMPARE(std::countr_zero(bitsWithout(1)), 1);
                QCOMPARE(bitsWithout(3), 0U);
                view.at(at) = 5.5;
                QCOMPARE(bitsWithout(0), 0U);
                view.at(at) = before;
            }
        }
        cpu::simd::forceInstructionSet("");
    }

    /// Of a scene whose parts are looked at one by one.
    void theGridOfASceneIsThatOfAllItsParts() {
        const base::Extents extents{1024, 700, 1};
        const auto quantumWith = [&](const base::Index& at, double value) {
            base::AnyImage scene =
                test::makeScene(base::PixelType::Float32, extents,
                                [](const base::Index& i) { return double((i.x + i.y) % 200); });
            test::setVoxel(scene, at, value);
            const base::AnyView view = base::viewOf(scene);
            const auto frame = cpu::SceneFrame::of(view, 30, false, cpu::oneAfterTheOther());
            return frame->tile({{0, 0, 0}, extents}).quantum;
        };
        QCOMPARE(quantumWith({0, 0, 0}, 1.0), 1.0);
        for (const base::Index& at : {base::Index{5, 3, 0}, base::Index{1023, 699, 0}}) {
            QCOMPARE(quantumWith(at, 0.25), 0.25);
            QCOMPARE(quantumWith(at, 0x1.000002p0), 0.0);
        }
    }

    void bytesKeptAsFloatsAreExact_data() {
        QTest::addColumn<double>("quantum");
        QTest::addColumn<double>("origin");
        QTest::newRow("as they are") << 1.0 << 0.0;
        QTest::newRow("over 256") << 0x1p-8 << 0.0;
        QTest::newRow("about 0") << 0x1p-8 << -0.25;
        QTest::newRow("high") << 1.0 << 0x1p23;
        QTest::newRow("coarse") << 3.0 << -100.0;
        QTest::newRow("large") << 0x1p100 << 0.0;
        QTest::newRow("small") << 0x1p-110 << 0.0;
    }

    void bytesKeptAsFloatsAreExact() {
        QFETCH(double, quantum);
        QFETCH(double, origin);
        const base::AnyImage scene = byteFloats([&](double v) { return origin + quantum * v; });
        const base::AnyImage templ = test::crop(scene, {{51, 17, 0}, {7, 5, 1}});
        const std::string fault = test::judgeAll(scene, templ);
        QVERIFY2(fault.empty(), fault.c_str());
        const Reported reported = reportedByDirect(scene, templ);
        QCOMPARE(reported.recomputed, std::int64_t{0});
        QVERIFY(reported.bound > 0);
        QVERIFY(reported.bound < kRoundings);
    }

    void whatIsNotQuiteOnAGridIsRight_data() {
        QTest::addColumn<double>("odd");
        QTest::newRow("half a step") << 77.5;
        QTest::newRow("a last bit") << 77 + 0x1p-17;
        QTest::newRow("next to nothing") << 0x1p-140;
        QTest::newRow("far away") << 0x1p40;
        QTest::newRow("NaN") << std::nan("");
        QTest::newRow("infinite") << HUGE_VAL;
    }

    void whatIsNotQuiteOnAGridIsRight() {
        QFETCH(double, odd);
        base::AnyImage scene = byteFloats([](double v) { return v; });
        const base::AnyImage templ = test::crop(scene, {{51, 17, 0}, {7, 5, 1}});
        test::setVoxel(scene, {70, 40, 0}, odd);
        std::string fault = test::judgeAll(scene, templ);
        QVERIFY2(fault.empty(), fault.c_str());
        // The template alone, the scene on a grid.
        if (std::isfinite(odd)) {
            base::AnyImage other =
                test::crop(byteFloats([](double v) { return v; }), {{51, 17, 0}, {7, 5, 1}});
            test::setVoxel(other, {3, 2, 0}, odd);
            fault = test::judgeAll(byteFloats([](double v) { return v; }), other);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // 255ths have no common step in binary.
    void bytesOver255AreRight() {
        const base::AnyImage scene = byteFloats([](double v) { return v / 255; });
        const std::string fault =
            test::judgeAll(scene, test::crop(scene, {{51, 17, 0}, {7, 5, 1}}));
        QVERIFY2(fault.empty(), fault.c_str());
    }

    // Around what the products in 16 bits and their sums in 32 hold: a template of 9x9 at its own
    // place is the largest sum there is.
    void sumsDoNotOverflow_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("most");
        for (const PixelType type : {PixelType::Int16, PixelType::Float32, PixelType::Int32}) {
            for (const double most :
                 {2000.0, 5000.0, 5148.0, 5300.0, 7300.0, 9000.0, 16000.0, 32767.0}) {
                QTest::newRow((std::string(base::name(type)) + " " + std::to_string(most)).c_str())
                    << static_cast<int>(type) << most;
            }
        }
    }

    void sumsDoNotOverflow() {
        QFETCH(int, type);
        QFETCH(double, most);
        test::Random random(9);
        const base::AnyImage scene =
            test::makeScene(static_cast<PixelType>(type), {80, 60, 1},
                            [&](const Index&) { return random.below(2) == 0 ? -most : most - 1; });
        const base::AnyImage templ = test::crop(scene, {{31, 22, 0}, {9, 9, 1}});
        const std::string fault = test::judgeAll(scene, templ);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    // A panel with one odd count, far from the mean of its tile: N s2 has more than 53 bits.
    void variancesThatAreNotExactAreNotTakenForIt() {
        const auto bright = [](const Index& at) {
            return at.x < 210 ? 0.0 : (at.x * 7 + at.y * 13) % 997 == 0 ? 60001.0 : 60000.0;
        };
        const base::AnyImage scene = test::makeScene(PixelType::UInt16, {420, 210, 1}, bright);
        const base::AnyImage templ = test::crop(scene, {{214, 5, 0}, {200, 200, 1}});
        const std::string fault =
            test::judgeSampled(scene, templ, {{214, 5, 0}, {220, 10, 0}, {211, 0, 0}}, 20);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    // More than 24 bits between neighbours, and sums whose squares leave 53 bits.
    void manyStepsAreRight() {
        for (const double steps : {4095.0, 65535.0, 0x1p20, 0x1p24}) {
            const base::AnyImage scene =
                gridScene(PixelType::Float32, {70, 60, 1}, steps, 0x1p-10, -7, 3);
            std::string fault = test::judgeAll(scene, test::crop(scene, {{31, 22, 0}, {5, 6, 1}}));
            QVERIFY2(fault.empty(), fault.c_str());
            const base::AnyImage volume =
                gridScene(PixelType::Float32, {24, 21, 18}, steps, 0x1p-10, 1, 4);
            fault = test::judgeAll(volume, test::crop(volume, {{9, 8, 7}, {5, 4, 3}}));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void statisticsKnowTheSteps() {
        const auto stepsOf = [](const base::AnyImage& scene) {
            return method::sceneStatistics(base::viewOf(scene), {8, 8, 1}).steps;
        };
        QCOMPARE(stepsOf(byteFloats([](double v) { return -3 + v / 64; })),
                 stepsOf(byteFloats([](double v) { return v; })));
        QVERIFY(stepsOf(byteFloats([](double v) { return v; })) <= 255);
        QVERIFY(stepsOf(byteFloats([](double v) { return v / 255; })) > 0x1p20);
        QVERIFY(stepsOf(test::noise(PixelType::Float32, {60, 50, 1}, 1)) > 0x1p20);
    }
};

const flcc::test::TestClass<GridsTest> kGridsTest;
#include "grids_test.moc"
