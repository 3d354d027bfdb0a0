#include <QtTest>

#include <cmath>
#include <string>
#include <vector>

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
using method::Extent;
using method::MaskedView;
using method::Outside;

namespace {

const std::vector<PixelType> kTypes{PixelType::UInt8, PixelType::Int16, PixelType::Float32,
                                    PixelType::Float64};
const std::vector<Outside> kRules{Outside::Zero, Outside::Eibl, Outside::Overlap};
const std::vector<Extent> kBeyond{Extent::Same, Extent::Full};

test::Asked askedFor(Extent extent, Outside outside) {
    test::Asked asked;
    asked.extent = extent;
    asked.outside = outside;
    return asked;
}

} // namespace

class ExtentsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyMethodAgreesOnEveryExtentAndRule_data() {
        QTest::addColumn<Extents>("scene");
        QTest::addColumn<Extents>("templ");
        for (const auto& [n, m] :
             std::vector<std::pair<Extents, Extents>>{{{7, 5, 1}, {3, 2, 1}},
                                                      {{40, 31, 1}, {5, 4, 1}},
                                                      {{90, 75, 1}, {16, 16, 1}},
                                                      {{33, 40, 1}, {31, 37, 1}},
                                                      {{30, 30, 1}, {30, 30, 1}},
                                                      {{200, 1, 1}, {17, 1, 1}},
                                                      {{1, 1, 60}, {1, 1, 9}},
                                                      {{17, 15, 13}, {5, 4, 6}}}) {
            QTest::newRow((base::toString(m) + " in " + base::toString(n)).c_str()) << n << m;
        }
    }

    void everyMethodAgreesOnEveryExtentAndRule() {
        QFETCH(Extents, scene);
        QFETCH(Extents, templ);
        std::uint64_t seed = 1;
        test::Thinned some(2);
        for (const Extent extent : kBeyond) {
            for (const Outside outside : kRules) {
                ++seed;
                if (!some.next()) {
                    continue;
                }
                const PixelType type = kTypes.at(seed % kTypes.size());
                const base::AnyImage pixels = seed % 2 == 0 ? test::noise(type, scene, seed)
                                                            : test::texture(type, scene, seed);
                const base::AnyImage shape = test::noise(type, templ, 100 + seed);
                const std::string fault =
                    test::judgeAll(pixels, shape, {0, 0, 0}, askedFor(extent, outside));
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void masksAndSceneMasksAgreeOnEveryExtentAndRule() {
        const Extents n{44, 37, 1};
        const Extents m{9, 8, 1};
        std::uint64_t seed = 1;
        test::Thinned some(3);
        for (const Extent extent : {Extent::Valid, Extent::Same, Extent::Full}) {
            for (const Outside outside : kRules) {
                for (const test::NamedMask& named : test::masksFor(m)) {
                    ++seed;
                    if (!some.next()) {
                        continue;
                    }
                    const PixelType type = kTypes.at(seed % kTypes.size());
                    const base::AnyImage pixels = test::texture(type, n, seed);
                    const base::AnyImage shape = test::noise(type, m, 100 + seed);
                    const test::Mask sceneMask =
                        seed % 2 == 0 ? test::disc(n) : test::someOf(n, 0.9, seed);
                    const MaskedView scene(base::viewOf(pixels), sceneMask.view());
                    const MaskedView templ(base::viewOf(shape), named.mask.view());
                    for (const MaskedView& seen : {MaskedView(pixels), scene}) {
                        const std::string fault =
                            test::judgeAll(seen, templ, {0, 0, 0}, askedFor(extent, outside));
                        QVERIFY2(fault.empty(), (named.name + ": " + fault).c_str());
                    }
                }
            }
        }
    }

    void volumesUnderMasksAgree() {
        const Extents n{16, 15, 14};
        const Extents m{5, 6, 4};
        for (const Outside outside : kRules) {
            const base::AnyImage pixels = test::texture(PixelType::Float32, n, 30);
            const base::AnyImage shape = test::noise(PixelType::Float32, m, 31);
            const test::Mask mask = test::disc(m);
            const test::Mask sceneMask = test::someOf(n, 0.95, 32);
            const std::string fault = test::judgeAll({base::viewOf(pixels), sceneMask.view()},
                                                     {base::viewOf(shape), mask.view()}, {0, 0, 0},
                                                     askedFor(Extent::Same, outside));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // As in photographs: a high level, low contrast beside high contrast, a hot voxel and a
    // constant part at the border; with NaN in a second run.
    void bordersOfUnevenScenesAreRight_data() {
        QTest::addColumn<Extents>("scene");
        QTest::addColumn<Extents>("templ");
        for (const auto& [n, m] : std::vector<std::pair<Extents, Extents>>{
                 {{60, 47, 1}, {16, 11, 1}}, {{17, 15, 14}, {5, 6, 4}}}) {
            QTest::newRow((base::toString(m) + " in " + base::toString(n)).c_str()) << n << m;
        }
    }

    void bordersOfUnevenScenesAreRight() {
        QFETCH(Extents, scene);
        QFETCH(Extents, templ);
        test::Thinned some(4);
        for (const PixelType type : {PixelType::UInt16, PixelType::Float32}) {
            test::Random random(81);
            base::AnyImage pixels = test::makeScene(type, scene, [&](const Index& i) {
                const double grain = random.uniform();
                return 3 * i.x > 2 * scene.x ? 40'000.0
                       : 2 * i.y < scene.y   ? 30'000 + 60 * grain
                                             : 20'000 + 20'000 * grain;
            });
            test::setVoxel(pixels, {1, scene.y - 2, scene.z / 2}, 65'000);
            const base::AnyImage shape =
                test::crop(pixels, {{scene.x / 4, scene.y / 3, scene.z / 3}, templ});
            const test::Mask mask = test::disc(templ);
            for (const bool masked : {false, true}) {
                for (const Extent extent : kBeyond) {
                    for (const Outside outside : kRules) {
                        if ((masked && extent == Extent::Full) || !some.next()) {
                            continue;
                        }
                        const MaskedView of = masked ? MaskedView(base::viewOf(shape), mask.view())
                                                     : MaskedView(base::viewOf(shape));
                        const std::string fault =
                            test::judgeAll(pixels, of, {0, 0, 0}, askedFor(extent, outside));
                        QVERIFY2(fault.empty(), fault.c_str());
                    }
                }
            }
            if (type == PixelType::Float32) {
                test::setVoxel(pixels, {scene.x / 3, 0, 0}, std::nan(""));
                const std::string fault =
                    test::judgeAll(pixels, shape, {0, 0, 0}, askedFor(Extent::Same, Outside::Zero));
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // The panels inside the scene have the bits of `valid` where the tiles are the same.
    void innerPanelsHaveTheBitsOfValid() {
        if (test::kSanitized) {
            QSKIP("compares numbers only; the other tests make the same reads and writes");
        }
        for (const PixelType type : {PixelType::UInt16, PixelType::Float32}) {
            const base::AnyImage scene = test::oneCountOver(type, {300, 280, 1}, 60000, 3);
            const base::AnyImage templ = test::crop(scene, {{130, 121, 0}, {15, 12, 1}});
            for (const Extent extent : kBeyond) {
                const test::Asked asked = askedFor(extent, Outside::Zero);
                method::Problem problem = test::problemOf(scene, templ, asked);
                const Index first = method::firstPlacement(problem);
                int compared = 0;
                for (const test::Way& way : test::waysFor(scene, templ, {0, 0, 0}, asked)) {
                    test::Way plain = way;
                    plain.asked = {};
                    method::MatchMap whole = test::runMethod(way, scene, templ).map;
                    const method::MatchMap valid = test::runMethod(plain, scene, templ).map;
                    const Extents inner = valid.value.extents();
                    method::MatchMap cut(inner);
                    for (std::int64_t y = 0; y < inner.y; ++y) {
                        for (std::int64_t x = 0; x < inner.x; ++x) {
                            const Index at{x - first.x, y - first.y, 0};
                            cut.value.view().at(x, y, 0) = whole.value.view().at(at);
                            cut.status.view().at(x, y, 0) = whole.status.view().at(at);
                        }
                    }
                    const std::string difference = test::firstDifferentBit(cut, valid);
                    QVERIFY2(difference.empty(), (way.words() + " " + difference).c_str());
                    ++compared;
                }
                QVERIFY(compared > 3);
            }
        }
    }

    // A tile of the border on a high level: what is inside is as exact as in `valid`, and the step
    // at the edge of the scene enters no transform.
    void aHighLevelDoesNotReachTheBorder() {
        if (test::kSanitized) {
            QSKIP("numbers only; the other tests make the same reads and writes");
        }
        for (const PixelType type : {PixelType::UInt16, PixelType::Float32, PixelType::Float64}) {
            const base::AnyImage scene = test::oneCountOver(type, {90, 70, 1}, 60000, 4);
            const base::AnyImage templ = test::crop(scene, {{0, 0, 0}, {12, 11, 1}});
            for (const Outside outside : kRules) {
                const test::Asked asked = askedFor(Extent::Full, outside);
                for (const test::Way& way : test::waysFor(scene, templ, {0, 0, 0}, asked)) {
                    const test::MethodRun run = test::runMethod(way, scene, templ);
                    QVERIFY(std::fabs(run.map.value.view().at(11, 10, 0) - 1) <= 1e-4);
                }
                const std::string fault = test::judgeAll(scene, templ, {0, 0, 0}, asked);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void whatIsFlatBeyondTheSceneDependsOnTheRule() {
        for (const PixelType type : kTypes) {
            base::AnyImage scene = test::noise(type, {40, 30, 1}, 5);
            for (std::int64_t y = 0; y < 12; ++y) {
                for (std::int64_t x = 0; x < 40; ++x) {
                    test::setVoxel(scene, {x, y, 0}, x < 20 ? 0 : 7);
                }
            }
            const base::AnyImage templ = test::noise(type, {7, 6, 1}, 6);
            for (const Outside outside : kRules) {
                const test::Asked asked = askedFor(Extent::Same, outside);
                const reference::ScoreMap expected = test::judged(scene, templ, asked);
                const auto status = expected.status.view();
                QVERIFY(status.at(5, 0, 0) == Status::Flat);
                QVERIFY(status.at(30, 0, 0) ==
                        (outside == Outside::Overlap ? Status::Flat : Status::Partial));
                const std::string fault = test::judgeAll(scene, templ, {0, 0, 0}, asked);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // Beside zeros a constant is not flat, however little it is beside the rest of its tile.
    void aFaintConstantBesideZerosIsNotFlat() {
        base::AnyImage scene = test::mapped(test::noise(PixelType::Float64, {40, 30, 1}, 5),
                                            PixelType::Float64, [](double v) { return 1e12 * v; });
        for (std::int64_t i = 0; i < 40 * 12; ++i) {
            test::setVoxel(scene, {i % 40, i / 40, 0}, i % 40 < 20 ? 0.0 : 7.0);
        }
        const base::AnyImage templ = test::noise(PixelType::Float64, {7, 6, 1}, 6);
        const test::Asked asked = askedFor(Extent::Same, Outside::Zero);
        const auto expected = test::judged(scene, templ, asked);
        QVERIFY(expected.status.view().at(5, 0, 0) == Status::Flat);
        QVERIFY(expected.status.view().at(30, 0, 0) == Status::Partial);
        const std::string fault = test::judgeAll(scene, templ, {0, 0, 0}, asked);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void aTemplateConstantOnTheOverlapIsFlat() {
        base::AnyImage templ = test::noise(PixelType::Float32, {8, 8, 1}, 7);
        for (std::int64_t i = 0; i < 32; ++i) {
            test::setVoxel(templ, {4 + i % 4, i / 4, 0}, 0.1);
        }
        const base::AnyImage scene = test::noise(PixelType::Float32, {40, 30, 1}, 8);
        const test::Asked asked = askedFor(Extent::Full, Outside::Overlap);
        QVERIFY(test::judged(scene, templ, asked).status.view().at(3, 15, 0) == Status::Flat);
        const std::string fault = test::judgeAll(scene, templ, {0, 0, 0}, asked);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void nanBeyondTheMaskOfTheSceneDoesNotCount() {
        base::AnyImage pixels = test::texture(PixelType::Float32, {50, 40, 1}, 9);
        const test::Mask mask = test::disc({50, 40, 1});
        test::setVoxel(pixels, {0, 0, 0}, std::nan(""));
        test::setVoxel(pixels, {49, 20, 0}, HUGE_VAL);
        test::setVoxel(pixels, {25, 20, 0}, std::nan(""));
        const base::AnyImage templ = test::noise(PixelType::Float32, {8, 7, 1}, 10);
        for (const Outside outside : kRules) {
            const std::string fault = test::judgeAll({base::viewOf(pixels), mask.view()}, templ,
                                                     {0, 0, 0}, askedFor(Extent::Same, outside));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void theLeastOverlapIsKept() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {40, 30, 1}, 11);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {10, 10, 1}, 12);
        for (const double least : {0.0, 0.1, 0.5, 1.0}) {
            test::Asked asked = askedFor(Extent::Full, Outside::Overlap);
            asked.minOverlap = least;
            const std::string fault = test::judgeAll(scene, templ, {0, 0, 0}, asked);
            QVERIFY2(fault.empty(), fault.c_str());
            const auto way = test::waysFor(scene, templ, {0, 0, 0}, asked).front();
            const auto run = test::runMethod(way, scene, templ);
            const auto status = run.map.status.view();
            const std::int64_t column = 9; // of a whole row of the template's rows
            for (std::int64_t y = 0; y < 9; ++y) {
                const double inside = 10.0 * static_cast<double>(y + 1);
                QCOMPARE(status.at(column, y, 0) == Status::NotComputed, inside < 100 * least);
            }
        }
    }

    void everyInstructionSetAgreesBeyondTheScene() {
        const base::AnyImage scene = test::texture(PixelType::UInt8, {60, 41, 1}, 13);
        const base::AnyImage templ = test::crop(scene, {{20, 10, 0}, {11, 12, 1}});
        for (const std::string& set : plan::instructionSets()) {
            const plan::InstructionSetLimit limit(set);
            for (const Outside outside : kRules) {
                const std::string fault =
                    test::judgeAll(scene, templ, {0, 0, 0}, askedFor(Extent::Full, outside));
                QVERIFY2(fault.empty(), (set + ": " + fault).c_str());
            }
        }
    }
};

const flcc::test::TestClass<ExtentsTest> kExtentsTest;
#include "extents_test.moc"
