#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/plan/planner.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cpu/masks.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/extents_column.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;
using method::MaskedView;

namespace {

const std::vector<PixelType> kTypes{PixelType::UInt8, PixelType::Int16, PixelType::Float32,
                                    PixelType::Float64, PixelType::Int64};

struct SoftMask {
    test::Mask mask;
    base::Image<double> weights;
};

/// Weights by chance, down to a ten-thousandth; no float holds them.
SoftMask softened(test::Mask mask, std::uint64_t seed) {
    test::Random random(seed);
    base::Image<double> weights(mask.extents(), 0.0);
    for (std::int64_t i = 0; i < mask.count(); ++i) {
        if (mask.data()[i] != 0) {
            weights.data()[i] = (std::pow(random.uniform(), 4) + 1e-4) / 1.001;
        }
    }
    return {std::move(mask), std::move(weights)};
}

test::Asked fourierSums() {
    test::Asked asked;
    asked.statistics = method::WindowStatistics::Fourier;
    return asked;
}

} // namespace

class MasksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyMethodAgreesUnderEveryMask_data() {
        QTest::addColumn<Extents>("scene");
        QTest::addColumn<Extents>("templ");
        for (const auto& [n, m] :
             std::vector<std::pair<Extents, Extents>>{{{40, 31, 1}, {5, 4, 1}},
                                                      {{90, 83, 1}, {16, 16, 1}},
                                                      {{97, 101, 1}, {31, 37, 1}},
                                                      {{70, 40, 1}, {70, 9, 1}},
                                                      {{300, 1, 1}, {17, 1, 1}},
                                                      {{1, 120, 1}, {1, 9, 1}},
                                                      {{30, 26, 21}, {7, 6, 5}},
                                                      {{31, 29, 6}, {8, 7, 1}},
                                                      {{18, 17, 16}, {3, 17, 4}}}) {
            QTest::newRow((base::toString(m) + " in " + base::toString(n)).c_str()) << n << m;
        }
    }

    void everyMethodAgreesUnderEveryMask() {
        QFETCH(Extents, scene);
        QFETCH(Extents, templ);
        std::uint64_t seed = static_cast<std::uint64_t>(templ.x);
        test::Thinned some(5);
        for (const test::NamedMask& named : test::masksFor(templ)) {
            ++seed;
            if (!some.next()) {
                continue;
            }
            const PixelType type = kTypes.at(seed % kTypes.size());
            const base::AnyImage pixels =
                seed % 2 == 0 ? test::noise(type, scene, seed) : test::texture(type, scene, seed);
            const base::AnyImage shape = test::noise(type, templ, 100 + seed);
            const MaskedView masked(base::viewOf(shape), named.mask.view());
            if (method::supportCount(masked) > 1) {
                const std::string fault = test::judgeAll(pixels, masked);
                QVERIFY2(fault.empty(), (named.name + ": " + fault).c_str());
            }
        }
    }

    // Weights from 0 to 1: no edge of a template is sharp.
    void everyMethodAgreesUnderWeights() {
        std::uint64_t seed = 60;
        for (const auto& [n, m] : std::vector<std::pair<Extents, Extents>>{
                 {{90, 83, 1}, {16, 17, 1}}, {{70, 64, 1}, {7, 5, 1}}, {{26, 27, 25}, {7, 8, 6}}}) {
            for (const PixelType type : {PixelType::UInt8, PixelType::Float32, PixelType::Int64}) {
                const base::AnyImage scene = test::texture(type, n, ++seed);
                const base::AnyImage shape = test::crop(scene, {{9, 8, n.z > 1 ? 7 : 0}, m});
                const SoftMask soft = softened(test::disc(m), seed);
                const MaskedView templ(base::viewOf(shape), soft.mask.view(), soft.weights.view());
                const std::string fault = test::judgeAll(scene, templ);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void everyExtentAgreesUnderWeights() {
        const Extents m{7, 6, 1};
        const base::AnyImage scene = test::texture(PixelType::Float32, {40, 33, 1}, 71);
        const base::AnyImage shape = test::crop(scene, {{9, 8, 0}, m});
        const SoftMask soft = softened(test::disc(m), 5);
        const MaskedView templ(base::viewOf(shape), soft.mask.view(), soft.weights.view());
        const test::Mask seen = test::someOf({40, 33, 1}, 0.9, 4);
        for (const auto outside :
             {method::Outside::Zero, method::Outside::Eibl, method::Outside::Overlap}) {
            test::Asked asked;
            asked.extent = method::Extent::Full;
            asked.outside = outside;
            std::string fault = test::judgeAll(scene, templ, {0, 0, 0}, asked);
            QVERIFY2(fault.empty(), fault.c_str());
            asked.extent = method::Extent::Valid;
            fault = test::judgeAll({base::viewOf(scene), seen.view()}, templ, {0, 0, 0}, asked);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // Values under a weight of 0 never count; those under any other weight decide a status.
    void statusesUnderWeightsAreExact() {
        const Extents m{9, 9, 1};
        const SoftMask soft = softened(test::disc(m), 8);
        base::AnyImage scene = test::texture(PixelType::Float32, {60, 50, 1}, 72);
        const base::AnyImage shape = test::noise(PixelType::Float32, m, 73);
        for (std::int64_t i = 0; i < soft.mask.count(); ++i) {
            if (soft.mask.data()[i] != 0) {
                test::setVoxel(scene, {20 + i % m.x, 17 + i / m.x, 0}, 77);
            }
        }
        test::setVoxel(scene, {45, 12, 0}, std::nan(""));
        const MaskedView templ(base::viewOf(shape), soft.mask.view(), soft.weights.view());
        const reference::ScoreMap expected = test::judged(scene, templ);
        QVERIFY(expected.status.view().at(20, 17, 0) == Status::Flat);
        QVERIFY(expected.status.view().at(45, 12, 0) == Status::Ok); // under a corner
        QVERIFY(expected.status.view().at(41, 8, 0) == Status::NonFinite);
        const std::string fault = test::judgeAll(scene, templ);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void weightsOf0And1AreAMaskToTheBit() {
        const Extents m{12, 11, 1};
        const base::AnyImage scene = test::texture(PixelType::Float32, {80, 70, 1}, 74);
        const base::AnyImage shape = test::crop(scene, {{30, 21, 0}, m});
        const test::Mask mask = test::disc(m);
        base::Image<double> weights(m);
        std::copy_n(mask.data(), mask.count(), weights.data());
        const MaskedView plain(base::viewOf(shape), mask.view());
        const MaskedView weighted(base::viewOf(shape), mask.view(), weights.view());
        for (const test::Way& way : test::waysFor(scene, plain)) {
            const std::string difference = test::firstDifferentBit(
                test::runMethod(way, scene, plain).map, test::runMethod(way, scene, weighted).map);
            QVERIFY2(difference.empty(), (way.words() + difference).c_str());
        }
    }

    void everyInstructionSetAgreesUnderAMask() {
        const base::AnyImage scene = test::texture(PixelType::UInt8, {90, 61, 1}, 3);
        const base::AnyImage templ = test::crop(scene, {{30, 20, 0}, {19, 17, 1}});
        const test::Mask mask = test::disc({19, 17, 1});
        for (const std::string& set : plan::instructionSets()) {
            const plan::InstructionSetLimit limit(set);
            const std::string fault = test::judgeAll(scene, {base::viewOf(templ), mask.view()});
            QVERIFY2(fault.empty(), (set + ": " + fault).c_str());
        }
    }

    void aMaskOfOnesIsNoMask() {
        for (const PixelType type : kTypes) {
            const base::AnyImage scene = test::texture(type, {120, 90, 1}, 4);
            const base::AnyImage templ = test::crop(scene, {{33, 21, 0}, {16, 12, 1}});
            const test::Mask ones = test::maskOf({16, 12, 1}, [](const Index&) { return true; });
            const test::Mask sceneOnes =
                test::maskOf({120, 90, 1}, [](const Index&) { return true; });
            for (const test::Way& way : test::waysFor(scene, templ)) {
                const std::string difference = test::firstDifferentBit(
                    test::runMethod(way, {base::viewOf(scene), sceneOnes.view()},
                                    {base::viewOf(templ), ones.view()})
                        .map,
                    test::runMethod(way, scene, templ).map);
                QVERIFY2(difference.empty(), (way.words() + difference).c_str());
            }
        }
    }

    // A panel that is constant under the disc is FLAT, whatever lies in the corners.
    void whatIsFlatUnderTheMaskIsFlat() {
        for (const PixelType type : kTypes) {
            const Extents m{9, 9, 1};
            const test::Mask mask = test::disc(m);
            base::AnyImage scene = test::noise(type, {60, 50, 1}, 5);
            const base::AnyImage templ = test::noise(type, m, 6);
            for (std::int64_t i = 0; i < mask.count(); ++i) {
                if (mask.data()[i] != 0) {
                    test::setVoxel(scene, {20 + i % m.x, 17 + i / m.x, 0}, 77);
                }
            }
            const MaskedView masked(base::viewOf(templ), mask.view());
            QVERIFY(test::judged(scene, masked).status.view().at(20, 17, 0) == Status::Flat);
            const std::string fault = test::judgeAll(scene, masked);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // Few rows of a mask are summed as runs, more of them have one or both sums by transforms.
    void flatPartsOfPicturesOfFewBitsAreExact() {
        test::Thinned some(7);
        for (const PixelType type : {PixelType::UInt8, PixelType::Int16, PixelType::Float32}) {
            base::AnyImage scene = test::texture(type, {150, 140, 1}, 75);
            for (std::int64_t i = 0; i < 85 * 140; ++i) {
                test::setVoxel(scene, {65 + i % 85, i / 85, 0}, 200);
            }
            test::setVoxel(scene, {140, 70, 0}, 201); // all that differs in its panels
            for (const std::int64_t side : {11, 41, 81}) {
                if (!some.next()) {
                    continue;
                }
                const Extents m{side, side, 1};
                const base::AnyImage shape = test::crop(scene, {{20, 30, 0}, m});
                const test::Mask mask = test::disc(m);
                const MaskedView templ(base::viewOf(shape), mask.view());
                const std::string fault = test::judgeAll(scene, templ);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // As in photographs: a bright sky, a dark coat and grass. Single precision is enough for the
    // grass alone, so that the rest takes sums along edges and, in double, numerators.
    void turnedBoxesOverAnUnevenPictureAreRight() {
        test::Random random(76);
        test::Thinned some(7);
        const auto shade = [&](const Index& i) {
            const double grain = random.uniform();
            return i.y < 100 ? 200 + 2 * grain : i.x < 120 ? 10 + 1.5 * grain : 90 + 120 * grain;
        };
        for (const auto& [type, step] : std::vector<std::pair<PixelType, double>>{
                 {PixelType::UInt8, 1}, {PixelType::Float32, 0}}) {
            const double whole = step;
            base::AnyImage scene = test::makeScene(type, {270, 250, 1}, [&](const Index& i) {
                const double value = shade(i);
                return whole > 0 ? std::floor(value) : value / 255;
            });
            test::setVoxel(scene, {250, 200, 0}, type == PixelType::UInt8 ? 255 : 40); // hot
            for (const Extents& m : {Extents{33, 33, 1}, Extents{40, 36, 1}}) {
                if (!some.next()) {
                    continue;
                }
                const base::AnyImage shape = test::crop(scene, {{100, 80, 0}, m});
                const test::Mask mask = test::turnedBox(m, m.x == 33 ? 45 : 20);
                const std::string fault =
                    test::judgeSampled(scene, {base::viewOf(shape), mask.view()}, {{0, 0, 0}}, 500);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // Two parts, each constant: neighbours tell nothing, the values differ by the least there is.
    void twoConstantPartsOfDifferentValuesAreNotFlat() {
        for (const PixelType type :
             {PixelType::UInt8, PixelType::Int64, PixelType::Float32, PixelType::Float64}) {
            const Extents m{9, 5, 1};
            const test::Mask mask = test::twoParts(m);
            const base::AnyImage templ = test::noise(type, m, 7);
            const double step = type == PixelType::Float32   ? 0x1p-23
                                : type == PixelType::Float64 ? 0x1p-52
                                                             : 1;
            base::AnyImage scene = test::makeScene(
                type, {40, 30, 1}, [&](const Index& i) { return i.x < 19 ? 1 : 1 + step; });
            const MaskedView masked(base::viewOf(templ), mask.view());
            const reference::ScoreMap expected = test::judged(scene, masked);
            QVERIFY(expected.status.view().at(13, 4, 0) == Status::Ok);
            QVERIFY(expected.status.view().at(2, 4, 0) == Status::Flat);
            const std::string fault = test::judgeAll(scene, masked);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void nanUnderAZeroOfTheMaskDoesNotCount() {
        for (const PixelType type : {PixelType::Float32, PixelType::Float64}) {
            for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
                base::AnyImage scene = test::texture(type, {70, 60, 1}, 8);
                base::AnyImage templ = test::noise(type, {11, 9, 1}, 9);
                test::setVoxel(scene, {35, 30, 0}, bad);
                test::setVoxel(scene, {3, 57, 0}, bad);
                test::setVoxel(templ, {0, 0, 0}, bad); // under a zero of the disc
                const test::Mask mask = test::disc({11, 9, 1});
                const MaskedView masked(base::viewOf(templ), mask.view());
                const reference::ScoreMap expected = test::judged(scene, masked);
                QVERIFY(expected.status.view().at(35, 30, 0) == Status::Ok);
                QVERIFY(expected.status.view().at(30, 26, 0) == Status::NonFinite);
                const std::string fault = test::judgeAll(scene, masked);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void aMaskWithoutTwoDifferentVoxelsIsRefused() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {30, 30, 1}, 10);
        base::AnyImage templ = test::noise(PixelType::UInt8, {6, 6, 1}, 11);
        base::AnyImage flat = test::noise(PixelType::UInt8, {6, 6, 1}, 11);
        test::setVoxel(templ, {2, 2, 0}, 5);
        test::setVoxel(templ, {3, 2, 0}, 6);
        test::setVoxel(flat, {2, 2, 0}, 5);
        test::setVoxel(flat, {3, 2, 0}, 5);
        const auto only = [](std::int64_t count) {
            return test::maskOf({6, 6, 1}, [count](const Index& i) {
                return i.y == 2 && i.x >= 2 && i.x < 2 + count;
            });
        };
        const test::Mask none = only(0);
        const test::Mask one = only(1);
        const test::Mask two = only(2);
        const test::Mask large = test::disc({7, 6, 1});
        const MaskedView usable{base::viewOf(templ), two.view()};
        const auto masked = test::waysFor(scene, usable);
        for (const test::Way& way : test::waysFor(scene, templ)) {
            const bool takesMasks =
                std::any_of(masked.begin(), masked.end(),
                            [&](const test::Way& other) { return other.method == way.method; });
            method::Problem problem = way.of(test::problemOf(scene, templ));
            problem.mask = true;
            base::TilePool pool(1);
            const auto refused = [&](const MaskedView& view) {
                try {
                    (void)way.method->prepare(problem, way.candidate, view, pool);
                } catch (const base::Error& error) {
                    return error.code() == base::ErrorCode::Problem;
                }
                return false;
            };
            QVERIFY(refused({base::viewOf(templ), none.view()}));
            QVERIFY(refused({base::viewOf(templ), one.view()}));
            QVERIFY(refused({base::viewOf(flat), two.view()}));
            QVERIFY(refused({base::viewOf(templ), large.view()}));
            QCOMPARE(refused(usable), !takesMasks);
            problem.mask = false;
            QVERIFY(refused(usable)); // the problem names no mask
        }
    }

    void highLevelsAndHotPixelsStayWithinTheirBounds() {
        const test::Mask mask = test::disc({12, 12, 1});
        for (const PixelType type : {PixelType::UInt16, PixelType::Int32, PixelType::Float64}) {
            base::AnyImage scene = test::oneCountOver(type, {100, 90, 1}, 60000, 12);
            const base::AnyImage templ = test::crop(scene, {{50, 41, 0}, {12, 12, 1}});
            const MaskedView masked(base::viewOf(templ), mask.view());
            std::string fault = test::judgeAll(scene, masked);
            QVERIFY2(fault.empty(), fault.c_str());
            test::setVoxel(scene, {70, 70, 0}, type == PixelType::UInt16 ? 0 : 1e6);
            fault = test::judgeAll(scene, masked);
            QVERIFY2(fault.empty(), fault.c_str());
        }
        base::AnyImage noise = test::noise(PixelType::Float32, {100, 90, 1}, 13);
        test::setVoxel(noise, {50, 50, 0}, 1e6);
        const base::AnyImage templ = test::noise(PixelType::Float32, {12, 12, 1}, 14);
        const std::string fault = test::judgeAll(noise, {base::viewOf(templ), mask.view()});
        QVERIFY2(fault.empty(), fault.c_str());
    }

    // Levels with little contrast on them: sums in single precision are not good enough. Integers
    // of 8 bits have exact ones then, in two parts of their squares where the mask has many runs,
    // and integers of 12 bits do not. On two levels the squares hardly differ, so s1 decides.
    void lowContrastOnSeveralLevelsIsRight_data() {
        QTest::addColumn<Extents>("scene");
        QTest::addColumn<Extents>("templ");
        QTest::addColumn<int>("levels");
        for (const int levels : {2, 3}) {
            for (const auto& [n, m] :
                 std::vector<std::pair<Extents, Extents>>{{{48, 30, 26}, {11, 10, 9}},
                                                          {{150, 130, 1}, {50, 48, 1}},
                                                          {{96, 70, 1}, {9, 9, 1}}}) {
                QTest::newRow((base::toString(m) + " on " + std::to_string(levels)).c_str())
                    << n << m << levels;
            }
        }
    }

    void lowContrastOnSeveralLevelsIsRight() {
        QFETCH(Extents, scene);
        QFETCH(Extents, templ);
        QFETCH(int, levels);
        if (test::kSanitized && levels == 3) {
            QSKIP("numbers only; two levels make the same reads and writes");
        }
        for (const auto& [type, step] : std::vector<std::pair<PixelType, double>>{
                 {PixelType::UInt8, 1}, {PixelType::UInt16, 16}, {PixelType::Float32, 0.37}}) {
            test::Random random(75);
            const double by = step;
            const base::AnyImage pixels = test::makeScene(type, scene, [&](const Index& i) {
                const auto part = static_cast<double>(levels * i.x / scene.x);
                const double level = 20 + 200 * part / (levels - 1);
                return by * std::floor(level + 4 * random.uniform());
            });
            const base::AnyImage shape = test::crop(pixels, {{2, 3, scene.z > 1 ? 4 : 0}, templ});
            const test::Mask mask = test::disc(templ);
            const std::string fault =
                test::judgeSampled(pixels, {base::viewOf(shape), mask.view()}, {{0, 0, 0}}, 100);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void powersOfTwoScaleToTheBit() {
        const test::Mask mask = test::lShape({9, 8, 1});
        const base::AnyImage scene = test::texture(PixelType::Float64, {60, 50, 1}, 15);
        const base::AnyImage templ = test::noise(PixelType::Float64, {9, 8, 1}, 16);
        const MaskedView masked(base::viewOf(templ), mask.view());
        for (const double factor : {0x1p700, 0x1p-700}) {
            const base::AnyImage scaled =
                test::mapped(scene, PixelType::Float64, [=](double v) { return v * factor; });
            for (const test::Way& way : test::waysFor(scene, masked)) {
                const std::string difference =
                    test::firstDifferentBit(test::runMethod(way, scaled, masked).map,
                                            test::runMethod(way, scene, masked).map);
                QVERIFY2(difference.empty(), (way.words() + difference).c_str());
            }
        }
    }

    void sumsByTransformsAgreeWithoutAMask() {
        for (const PixelType type : kTypes) {
            const base::AnyImage scene = test::texture(type, {110, 87, 1}, 17);
            const base::AnyImage templ = test::crop(scene, {{41, 30, 0}, {20, 13, 1}});
            const std::string fault = test::judgeAll(scene, templ, {0, 0, 0}, fourierSums());
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void eachWayOfTakingSumsIsRefusedWhereItDoesNotApply() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {60, 50, 1}, 18);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {9, 8, 1}, 19);
        const test::Mask mask = test::disc({9, 8, 1});
        test::Asked box;
        box.statistics = method::WindowStatistics::Box;
        QVERIFY(test::waysFor(scene, {base::viewOf(templ), mask.view()}, {0, 0, 0}, box).empty());
        QVERIFY(!test::waysFor(scene, templ, {0, 0, 0}, box).empty());
        for (const test::Way& way : test::waysFor(scene, templ, {0, 0, 0}, fourierSums())) {
            QVERIFY(way.candidate.method != "direct");
        }
    }

    void aStopUnderAMaskLeavesWhatIsFinished() {
        const base::AnyImage scene = test::texture(PixelType::UInt8, {400, 300, 1}, 20);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {9, 8, 1}, 21);
        const test::Mask mask = test::disc({9, 8, 1});
        const MaskedView masked(base::viewOf(templ), mask.view());
        int stopped = 0;
        bool onDeviceAlone = true;
        for (const test::Way& way : test::waysFor(scene, masked)) {
            onDeviceAlone = onDeviceAlone && way.candidate.device != "cpu";
            std::stop_source source;
            test::RunOptions options;
            options.stop = source.get_token();
            options.finished = [&](std::int64_t) { source.request_stop(); };
            const test::MethodRun cut = test::runMethod(way, scene, masked, options);
            const std::string fault = test::runFault(cut);
            QVERIFY2(fault.empty(), fault.c_str());
            if (!cut.outcome.cancelled) {
                continue; // one tile
            }
            ++stopped;
            const test::MethodRun full = test::runMethod(way, scene, masked);
            for (const base::Box& region : cut.regions) {
                const std::string difference = test::firstDifferentBit(cut.map, full.map, region);
                QVERIFY2(difference.empty(), difference.c_str());
            }
        }
        QVERIFY(stopped > 2 || onDeviceAlone); // which does it in one part
    }
};

const flcc::test::TestClass<MasksTest> kMasksTest;
#include "masks_test.moc"
