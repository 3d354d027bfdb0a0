#include <QtTest>

#include <cmath>
#include <string>

#include "engine/cuda/run/pipeline.h"
#include "engine/cuda/run/support_tiles.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cpu/masks.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using method::MaskedView;

namespace {

struct Case {
    Extents scene;
    Extents templ;
    Extents tile;
    PixelType type;
};
const std::vector<Case> kCases{{{100, 90, 1}, {9, 8, 1}, {32, 24, 1}, PixelType::Float32},
                               {{101, 37, 1}, {17, 5, 1}, {30, 42, 1}, PixelType::UInt8},
                               {{26, 25, 24}, {5, 4, 6}, {16, 14, 12}, PixelType::Float64}};

} // namespace

/// Tiles under a mask on a device that is stood in for: how they are cut and kept. That their
/// scores are right is what cuda_masks_test says.
class SupportTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    // In one part and in many, forth and back, to float and to double: the same bits.
    void neitherPartsNorTheOrderOfThreadsChangeABit() {
        for (const Case& one : kCases) {
            base::AnyImage scene = test::texture(one.type, one.scene, 5);
            if (one.type != PixelType::UInt8) {
                test::setVoxel(scene, {13, 11, 0}, std::nan(""));
            }
            const base::AnyImage pixels = test::noise(one.type, one.templ, 6);
            const test::Mask mask = test::disc(one.templ);
            const MaskedView templ(base::viewOf(pixels), mask.view());
            const test::OnDouble whole(cuda::tiledMethod);
            test::Way way = whole.way(scene, templ, one.tile);
            const test::MethodRun forth = test::runMethod(way, scene, templ);
            QCOMPARE(forth.regions.size(), std::size_t{1});
            test::deviceDouble().backwards = true;
            const test::MethodRun back = test::runMethod(way, scene, templ);
            test::deviceDouble().backwards = false;
            QCOMPARE(test::firstDifferentBit(forth.map, back.map), std::string());
            QCOMPARE(forth.outcome.facts.largestBound, back.outcome.facts.largestBound);
            way.precision = method::Precision::Double;
            const test::MethodRun inDouble = test::runMethod(way, scene, templ);
            QCOMPARE(test::firstDifferentBit(forth.map, inDouble.map), std::string());
            QVERIFY(inDouble.outcome.facts.largestBound < 1e-9);
            QVERIFY(forth.outcome.facts.largestBound >= 0x1p-24);

            const method::Problem problem = test::problemOf(scene, templ);
            const cuda::Tiling alone = cuda::tilingOf(problem, one.tile, {});
            test::deviceDouble().about.memoryBytes =
                cuda::deviceBytes(problem, alone, cuda::kMostInFlight);
            const test::OnDouble small(cuda::tiledMethod);
            const test::MethodRun parts =
                test::runMethod(small.way(scene, templ, one.tile), scene, templ);
            test::deviceDouble().reset();
            QVERIFY(parts.regions.size() > 3);
            QCOMPARE(test::firstDifferentBit(parts.map, forth.map), std::string());
            QCOMPARE(test::runFault(parts), std::string());
        }
    }

    // By every rule: beyond the scene, under masks of scene and template, whole and in tiles.
    void bordersAndMasksOfTheSceneAreRight_data() {
        QTest::addColumn<int>("extent");
        QTest::addColumn<int>("outside");
        test::Thinned rows(4);
        for (const auto extent :
             {method::Extent::Valid, method::Extent::Same, method::Extent::Full}) {
            for (const auto outside :
                 {method::Outside::Zero, method::Outside::Eibl, method::Outside::Overlap}) {
                if (!rows.next()) {
                    continue;
                }
                QTest::addRow("%s %s", std::string(method::name(extent)).c_str(),
                              std::string(method::name(outside)).c_str())
                    << static_cast<int>(extent) << static_cast<int>(outside);
            }
        }
    }

    void bordersAndMasksOfTheSceneAreRight() {
        QFETCH(int, extent);
        QFETCH(int, outside);
        test::Asked asked;
        asked.extent = static_cast<method::Extent>(extent);
        asked.outside = static_cast<method::Outside>(outside);
        std::uint64_t seed = 10;
        for (const auto& [n, m] : {std::pair{Extents{44, 37, 1}, Extents{9, 8, 1}},
                                   std::pair{Extents{30, 1, 1}, Extents{30, 1, 1}},
                                   std::pair{Extents{14, 13, 12}, Extents{5, 6, 4}}}) {
            for (const PixelType type :
                 {PixelType::UInt8, PixelType::Int64, PixelType::Float32, PixelType::Float64}) {
                ++seed;
                base::AnyImage pixels = test::texture(type, n, seed);
                if (type == PixelType::Float32) {
                    test::setVoxel(pixels, {3, 0, 0}, std::nan(""));
                }
                const base::AnyImage shape = test::noise(type, m, 100 + seed);
                const test::Mask seen = test::someOf(n, 0.9, seed);
                const test::Mask mask = test::disc(m);
                MaskedView scene = base::viewOf(pixels);
                MaskedView templ = base::viewOf(shape);
                scene.mask = seed % 2 == 0 ? seen.view() : scene.mask;
                templ.mask = seed % 3 == 0 ? mask.view() : templ.mask;
                const std::string fault = test::judgeAll(scene, templ, {0, 0, 0}, asked);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // Steps, zeros and constant parts at the border: what is FLAT there depends on the rule.
    void constantPartsAtTheBorderAreRight() {
        for (const PixelType type : {PixelType::UInt16, PixelType::Float64}) {
            const base::AnyImage pixels = test::makeScene(type, {40, 33, 1}, [](const auto& i) {
                return i.x < 6 ? 0.0 : i.y < 7 ? 1e4 : static_cast<double>((i.x * 7 + i.y) % 5);
            });
            const base::AnyImage shape = test::makeScene(type, {8, 7, 1}, [](const auto& i) {
                return i.x < 5 ? 3.0 : static_cast<double>(i.y);
            });
            for (const auto outside :
                 {method::Outside::Zero, method::Outside::Eibl, method::Outside::Overlap}) {
                test::Asked asked;
                asked.extent = method::Extent::Full;
                asked.outside = outside;
                asked.minOverlap = 0.1;
                const std::string fault = test::judgeAll(pixels, shape, {0, 0, 0}, asked);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // The predicted memory is never below what a run takes, and at most a tenth above it.
    void theMemoryOfTheDeviceIsWhatWasPredicted() {
        for (const Case& one : kCases) {
            const base::AnyImage scene = test::texture(one.type, one.scene, 5);
            const base::AnyImage pixels = test::noise(one.type, one.templ, 6);
            const test::Mask mask = test::lShape(one.templ);
            const MaskedView templ(base::viewOf(pixels), mask.view());
            test::deviceDouble().reset();
            const test::OnDouble tiled(cuda::tiledMethod);
            test::Way way = tiled.way(scene, templ, one.tile);
            const test::Mask seen = test::someOf(one.scene, 0.9, 3);
            for (const bool partial : {false, true}) {
                MaskedView masked = base::viewOf(scene);
                if (partial) {
                    masked.mask = seen.view();
                    way.asked.extent = method::Extent::Full;
                    way.asked.outside = method::Outside::Overlap;
                    test::deviceDouble().mostBytes = 0;
                }
                const auto predicted = std::get<method::Prediction>(
                    tiled.method->predict(way.of(test::problemOf(masked, templ, way.asked)),
                                          way.candidate, {2}, {}, nullptr));
                (void)test::runMethod(way, masked, templ);
                const auto most = static_cast<double>(test::deviceDouble().mostBytes);
                const auto reported = static_cast<double>(predicted.onDevice.bytes);
                QVERIFY2(reported >= most && reported <= 1.1 * most,
                         qPrintable(QStringLiteral("%1 for %2").arg(reported).arg(most)));
            }
        }
    }

    // Another template under the same mask gets spectra of its own; each is made once.
    void theSpectraOfATemplateAreMadeOnce() {
        const base::AnyImage scene = test::texture(PixelType::UInt8, {90, 80, 1}, 5);
        const test::Mask mask = test::disc({9, 8, 1});
        const base::AnyImage pixels[]{test::noise(PixelType::UInt8, {9, 8, 1}, 6),
                                      test::noise(PixelType::UInt8, {9, 8, 1}, 7)};
        const test::OnDouble tiled(cuda::tiledMethod);
        const MaskedView first(base::viewOf(pixels[0]), mask.view());
        const test::Way way = tiled.way(scene, first, {32, 32, 1});
        const method::Problem problem = test::problemOf(scene, first);
        const auto workspace = tiled.method->makeWorkspace(problem, way.candidate);
        base::TilePool pool(1);
        for (const base::AnyImage& one : pixels) {
            const MaskedView templ(base::viewOf(one), mask.view());
            const auto prepared = tiled.method->prepare(problem, way.candidate, templ, pool);
            const test::MethodRun alone = test::runMethod(way, scene, templ);
            for (const std::int64_t made : {2, 0}) {
                auto& calls =
                    test::deviceDouble().calls[static_cast<std::size_t>(test::Call::Transform)];
                const std::int64_t before = calls;
                method::MatchMap map(method::mapExtents(problem));
                (void)tiled.method->execute(problem, way.candidate, *prepared, scene, *workspace,
                                            {pool, {}, {}}, method::viewOf(map));
                QCOMPARE(calls - before, made + cuda::supportTransforms(problem));
                QCOMPARE(test::firstDifferentBit(map, alone.map), std::string());
            }
        }
    }
};

const flcc::test::TestClass<SupportTest> kSupportTest;
#include "support_test.moc"
