#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/cuda/kernels/tiled_steps.h"
#include "engine/cuda/run/pipeline.h"
#include "engine/cuda/run/tiling.h"
#include "engine/method/method_on_device.h"
#include "engine/method/shared/smooth_length.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/support/comparison.h"
#include "tests/support/extents_column.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using test::Call;

namespace {

struct Forced {
    Extents scene;
    Extents templ;
    Extents tile;
};

const std::vector<Forced> kForced{
    {{100, 90, 1}, {5, 4, 1}, {16, 16, 1}},  {{100, 90, 1}, {16, 15, 1}, {18, 16, 1}},
    {{100, 90, 1}, {7, 3, 1}, {128, 96, 1}}, {{101, 97, 1}, {17, 8, 1}, {30, 42, 1}},
    {{200, 7, 1}, {5, 1, 1}, {35, 9, 1}},    {{300, 1, 1}, {9, 1, 1}, {32, 1, 1}},
    {{1, 80, 1}, {1, 9, 1}, {2, 30, 1}},     {{30, 28, 26}, {4, 3, 5}, {16, 8, 12}},
    {{30, 28, 26}, {7, 6, 1}, {10, 9, 3}},   {{20, 1, 26}, {3, 1, 5}, {10, 1, 8}}};

test::MethodRun run(const test::Way& way, const base::AnyImage& scene,
                    const base::AnyImage& templ) {
    return test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
}

method::Problem submitted(const Extents& scene, const Extents& templ) {
    method::Problem problem;
    problem.scene = scene;
    problem.templ = templ;
    return problem;
}

} // namespace

/// The Fourier methods on a device that is stood in for. That their scores are right is what the
/// tests say that judge every method.
class TiledTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void noTileLosesOrDoublesAVoxel_data() {
        QTest::addColumn<int>("row");
        for (std::size_t i = 0; i < kForced.size(); ++i) {
            QTest::addRow("%s in %s tile %s", base::toString(kForced[i].templ).c_str(),
                          base::toString(kForced[i].scene).c_str(),
                          base::toString(kForced[i].tile).c_str())
                << static_cast<int>(i);
        }
    }

    // In one part and in many: every voxel is right, and all bits are the same.
    void noTileLosesOrDoublesAVoxel() {
        QFETCH(int, row);
        const Forced& forced = kForced.at(static_cast<std::size_t>(row));
        const PixelType type = row % 2 == 0 ? PixelType::UInt8 : PixelType::Float64;
        const base::AnyImage scene = test::noise(type, forced.scene, 1);
        const base::AnyImage templ = test::texture(type, forced.templ, 2);
        const test::OnDouble whole(cuda::tiledMethod);
        test::Way way = whole.way(scene, templ, forced.tile);
        QVERIFY(way.method != nullptr);
        way.precision = row % 3 == 2 ? method::Precision::Double : method::Precision::Single;
        const std::string fault =
            test::judge(way, base::viewOf(scene), base::viewOf(templ),
                        test::judged(base::viewOf(scene), base::viewOf(templ)));
        QVERIFY2(fault.empty(), fault.c_str());
        const test::MethodRun once = run(way, scene, templ);
        const method::Problem problem =
            way.of(test::problemOf(base::viewOf(scene), base::viewOf(templ)));
        const cuda::Tiling alone = cuda::tilingOf(problem, forced.tile, {});
        test::deviceDouble().about.memoryBytes =
            cuda::deviceBytes(problem, alone, cuda::kMostInFlight);
        const test::OnDouble small(cuda::tiledMethod);
        test::Way cut = small.way(scene, templ, forced.tile);
        cut.precision = way.precision;
        const test::MethodRun parts = run(cut, scene, templ);
        test::deviceDouble().reset();
        QCOMPARE(once.regions.size(), std::size_t{1});
        QCOMPARE(parts.regions.size(), static_cast<std::size_t>(alone.tiles));
        QCOMPARE(test::firstDifferentBit(parts.map, once.map), std::string());
        QCOMPARE(test::runFault(parts), std::string());
    }

    // Threads of a phase, blocks and items need nothing of each other.
    void theOrderOfThreadsChangesNothing() {
        for (const PixelType type : {PixelType::UInt8, PixelType::Float32}) {
            for (const Extents& m : {Extents{5, 4, 1}, Extents{33, 17, 1}, Extents{7, 9, 3}}) {
                base::AnyImage scene = test::texture(type, {150, 70, m.z > 1 ? 5 : 1}, 5);
                if (type == PixelType::Float32) {
                    test::setVoxel(scene, {75, 30, 0}, std::nan(""));
                }
                const base::AnyImage templ = test::noise(type, m, 6);
                const test::OnDouble tiled(cuda::tiledMethod);
                test::Way way = tiled.way(scene, templ, {48, 40, 4});
                way.precision = m.x == 33 ? method::Precision::Double : method::Precision::Single;
                const test::MethodRun forth = run(way, scene, templ);
                test::deviceDouble().backwards = true;
                const test::MethodRun back = run(way, scene, templ);
                test::deviceDouble().backwards = false;
                QCOMPARE(test::firstDifferentBit(forth.map, back.map), std::string());
                QCOMPARE(forth.outcome.facts.largestBound, back.outcome.facts.largestBound);
                QVERIFY(forth.outcome.facts.statusCounts == back.outcome.facts.statusCounts);
            }
        }
    }

    // Scenes of a stream find the template's spectrum; another template gets its own.
    void theSpectrumOfATemplateIsMadeOnce() {
        const test::OnDouble tiled(cuda::tiledMethod);
        const base::AnyImage scene = test::texture(PixelType::Float32, {90, 80, 1}, 5);
        const base::AnyImage first = test::noise(PixelType::Float32, {9, 8, 1}, 6);
        const base::AnyImage second = test::noise(PixelType::Float32, {9, 8, 1}, 7);
        const test::Way way = tiled.way(scene, first, {32, 32, 1});
        const method::Problem problem = test::problemOf(base::viewOf(scene), base::viewOf(first));
        const auto workspace = tiled.method->makeWorkspace(problem, way.candidate);
        base::TilePool pool(1);
        const auto transformsOf = [&](const method::Prepared& prepared,
                                      const base::AnyImage& templ) {
            auto& calls = test::deviceDouble().calls[static_cast<std::size_t>(Call::Transform)];
            const std::int64_t before = calls;
            method::MatchMap map(method::mapExtents(problem));
            (void)tiled.method->execute(problem, way.candidate, prepared, base::viewOf(scene),
                                        *workspace, {pool, {}, {}}, method::viewOf(map));
            const std::string difference = test::firstDifferentBit(map, run(way, scene, templ).map);
            const std::int64_t own = calls - before - 3; // those of run()
            return difference.empty() ? own : -1;
        };
        const auto a = tiled.method->prepare(problem, way.candidate, base::viewOf(first), pool);
        const auto b = tiled.method->prepare(problem, way.candidate, base::viewOf(second), pool);
        QCOMPARE(transformsOf(*a, first), std::int64_t{3}); // the template, forward, back
        QCOMPARE(transformsOf(*a, first), std::int64_t{2});
        QCOMPARE(transformsOf(*b, second), std::int64_t{3});
        QCOMPARE(transformsOf(*b, second), std::int64_t{2});
    }

    void aStopEndsTheRunBetweenParts() {
        test::deviceDouble().about.memoryBytes = 1 << 18;
        const test::OnDouble tiled(cuda::tiledMethod);
        const base::AnyImage scene = test::texture(PixelType::UInt8, {300, 200, 1}, 5);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {5, 4, 1}, 6);
        std::stop_source stop;
        test::RunOptions options;
        options.stop = stop.get_token();
        options.finished = [&](std::int64_t regions) {
            if (regions == 3) {
                stop.request_stop();
            }
        };
        const auto stopped = test::runMethod(tiled.way(scene, templ, {32, 32, 1}),
                                             base::viewOf(scene), base::viewOf(templ), options);
        QVERIFY(stopped.outcome.cancelled);
        QCOMPARE(stopped.regions.size(), std::size_t{3});
        QCOMPARE(test::runFault(stopped), std::string());
    }

    void whatBreaksThePromiseIsComputedAgain() {
        const test::OnDouble fourier(cuda::fourierMethod);
        base::AnyImage scene = test::noise(PixelType::Float32, {150, 80, 1}, 4);
        test::setVoxel(scene, {75, 40, 0}, 1e6);
        const base::AnyImage templ = test::crop(scene, {{30, 20, 0}, {11, 9, 1}});
        test::Way way = fourier.way(scene, templ);
        const test::MethodRun repaired = run(way, scene, templ);
        QVERIFY(repaired.outcome.facts.recomputed > 0);
        way.recompute = false;
        const test::MethodRun marked = run(way, scene, templ);
        const auto low = static_cast<std::size_t>(base::Status::LowConf);
        QCOMPARE(marked.outcome.facts.statusCounts[low], repaired.outcome.facts.recomputed);
        QVERIFY(marked.outcome.facts.largestLowConf > 1e-4);
    }

    void whatItDoesNotSolveIsRefusedWithAReason() {
        const test::OnDouble tiled(cuda::tiledMethod);
        const test::OnDouble fourier(cuda::fourierMethod);
        const auto reasonOf = [&](const test::OnDouble& own, const method::Problem& problem,
                                  const Extents& tile, std::int64_t memory = INT64_MAX) {
            const method::Limits limits{2, memory};
            const auto candidate = own.method->candidates(problem, limits, tile).front();
            const auto verdict = own.method->predict(problem, candidate, limits, {}, nullptr);
            const auto* refused = std::get_if<method::Refusal>(&verdict);
            return QString::fromStdString(refused == nullptr ? std::string() : refused->reason);
        };
        const Extents any{0, 0, 0};
        const method::Problem problem = submitted({100, 90, 1}, {9, 9, 1});
        QCOMPARE(reasonOf(tiled, problem, any), QString());
        QCOMPARE(reasonOf(fourier, problem, any), QString());
        QVERIFY(reasonOf(tiled, problem, {22, 16, 1}).contains("products of 2, 3, 5 and 7"));
        QVERIFY(reasonOf(tiled, problem, {16, 8, 1}).contains("smaller than template"));
        QVERIFY(reasonOf(fourier, problem, {64, 64, 1}).contains("the whole scene"));
        QVERIFY(reasonOf(tiled, problem, any, 1000).contains("limit"));
        method::Problem statistics = problem;
        statistics.statistics = method::WindowStatistics::Fourier;
        QCOMPARE(reasonOf(tiled, statistics, any), QString());
        method::Problem box = problem;
        box.mask = true;
        QCOMPARE(reasonOf(tiled, box, any), QString());
        box.statistics = method::WindowStatistics::Box;
        QVERIFY(reasonOf(tiled, box, any).contains("a box"));
        method::Problem masked = problem;
        masked.sceneMask = true;
        QCOMPARE(reasonOf(fourier, masked, any), QString());
        masked.statistics = method::WindowStatistics::Box;
        QVERIFY(reasonOf(fourier, masked, any).contains("the scene has a mask"));
        method::Problem full = problem;
        full.extent = method::Extent::Full;
        QCOMPARE(reasonOf(tiled, full, any), QString());
        QVERIFY(reasonOf(fourier, full, {128, 100, 1}).contains("the whole scene"));
        method::Problem inDouble = problem;
        inDouble.precision = method::Precision::Double;
        QCOMPARE(reasonOf(tiled, inDouble, any), QString());
        test::deviceDouble().about.memoryBytes = 100'000;
        QVERIFY(reasonOf(test::OnDouble(cuda::fourierMethod), problem, any).contains("has 1 MiB"));
    }

    // Not what the device has says how many tiles are done at once, but what was free of it.
    void aRunStaysWithinWhatWasFreeWhenItWasPlanned() {
        const base::AnyImage scene = test::noise(PixelType::UInt16, {700, 500, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::UInt16, {16, 9, 1}, 2);
        const test::OnDouble tiled(cuda::tiledMethod);
        test::Way way = tiled.way(scene, templ, {128, 128, 1});
        const method::Problem problem =
            way.of(test::problemOf(base::viewOf(scene), base::viewOf(templ)));
        const auto predicted = [&] {
            return std::get<method::Prediction>(
                tiled.method->predict(problem, way.candidate, {2}, {}, nullptr));
        };
        const std::int64_t all = predicted().onDevice.bytes;
        const test::MethodRun roomy = run(way, scene, templ);
        method::Limits limits{2};
        limits.onDevice.memory = all / 2;
        way.candidate = tiled.method->candidates(problem, limits, way.candidate.tile).front();
        QCOMPARE(predicted().onDevice.memory, limits.onDevice.memory);
        QVERIFY(predicted().onDevice.bytes <= limits.onDevice.memory);
        test::deviceDouble().mostBytes = 0;
        const test::MethodRun tight = run(way, scene, templ);
        QVERIFY(test::deviceDouble().mostBytes <= limits.onDevice.memory);
        QVERIFY(tight.regions.size() > roomy.regions.size());
        QCOMPARE(test::firstDifferentBit(tight.map, roomy.map), std::string());
        way.candidate.onDevice.memory = 1 << 10;
        const auto none = tiled.method->predict(problem, way.candidate, {2}, {}, nullptr);
        QVERIFY(std::get<method::Refusal>(none).reason.ends_with(" of whose 8193 MiB are free"));
    }

    void freeMemoryIsRoundedDownToSixteenths() {
        constexpr std::int64_t kGibi = std::int64_t{1} << 30;
        const test::OnDouble tiled(cuda::tiledMethod);
        const auto freeOf = [&](std::int64_t bytes) {
            test::deviceDouble().freeBytes = bytes;
            return tiled.method->onDevice()->freeMemory();
        };
        QCOMPARE(freeOf(6 * kGibi), 6 * kGibi);
        QCOMPARE(freeOf(6 * kGibi + kGibi / 2 - 1), 6 * kGibi);
        QCOMPARE(freeOf(8 * kGibi), 8 * kGibi);
        QCOMPARE(freeOf(kGibi / 2 - 1), std::int64_t{0});
        QCOMPARE(freeOf(0), 8 * kGibi); // it does not say
    }

    // The predicted memory is never below what a run takes, and at most a tenth above it.
    void theMemoryOfTheDeviceIsWhatWasPredicted() {
        for (const auto& [n, m, tile] : {Forced{{700, 500, 1}, {16, 9, 1}, {128, 128, 1}},
                                         Forced{{60, 50, 40}, {5, 6, 7}, {32, 30, 24}},
                                         Forced{{400, 300, 1}, {200, 9, 1}, {512, 360, 1}}}) {
            const base::AnyImage scene = test::noise(PixelType::UInt16, n, 1);
            const base::AnyImage templ = test::noise(PixelType::UInt16, m, 2);
            test::deviceDouble().reset();
            const test::OnDouble tiled(cuda::tiledMethod);
            test::Way way = tiled.way(scene, templ, tile);
            for (const auto precision : {method::Precision::Single, method::Precision::Double}) {
                way.precision = precision;
                test::deviceDouble().mostBytes = 0;
                const auto predicted = std::get<method::Prediction>(tiled.method->predict(
                    way.of(test::problemOf(base::viewOf(scene), base::viewOf(templ))),
                    way.candidate, {2}, {}, nullptr));
                (void)run(way, scene, templ);
                const auto most = static_cast<double>(test::deviceDouble().mostBytes);
                const auto reported = static_cast<double>(predicted.onDevice.bytes);
                QVERIFY2(reported >= most && reported <= 1.1 * most,
                         qPrintable(QStringLiteral("%1 for %2").arg(reported).arg(most)));
            }
        }
    }

    void aPredictionGrowsWithThePointsAndNotWithTheTemplate() {
        const test::OnDouble fourier(cuda::fourierMethod);
        const auto predicted = [&](const Extents& n, const Extents& m) {
            const method::Limits limits{2, INT64_MAX};
            const method::Problem problem = submitted(n, m);
            return std::get<method::Prediction>(fourier.method->predict(
                problem, fourier.method->candidates(problem, limits, {0, 0, 0}).front(), limits, {},
                nullptr));
        };
        const auto small = predicted({1024, 1024, 1}, {8, 8, 1});
        const auto large = predicted({4096, 1024, 1}, {8, 8, 1});
        const auto deep = predicted({1024, 1024, 1}, {64, 64, 1});
        QVERIFY(large.ms - large.setupMs > 3 * (small.ms - small.setupMs));
        QVERIFY(large.onDevice.bytes > 3 * small.onDevice.bytes);
        QVERIFY(deep.ms <= small.ms);
        QCOMPARE(small.fftPlanning, std::string("cufft"));
    }

    // --- Function by function ----------------------------------------------------------------

    void windowSumsHoldTheirVoxelsAndNoOther() {
        test::Random random(3);
        std::vector<double> values(90);
        std::generate(values.begin(), values.end(),
                      [&] { return static_cast<double>(random.below(1000)); });
        values[40] = std::numeric_limits<double>::quiet_NaN();
        for (std::int64_t width = 1; width <= 20; ++width) {
            const std::int64_t begin = 3;
            const std::int64_t end = begin + 50;
            std::vector<double> sums(90, -1.0);
            method::shared::windowSums<double>(
                width, begin, end,
                [&](std::int64_t i, double& sum) {
                    QVERIFY(i >= begin && i < end + width - 1);
                    sum += values[static_cast<std::size_t>(i)];
                },
                [&](std::int64_t i, double sum) { sums[static_cast<std::size_t>(i)] = sum; },
                [&](std::int64_t i, double sum) { sums[static_cast<std::size_t>(i)] += sum; });
            for (std::int64_t i = 0; i < 90; ++i) {
                const double found = sums[static_cast<std::size_t>(i)];
                if (i < begin || i >= end) {
                    QCOMPARE(found, -1.0);
                    continue;
                }
                double sum = 0;
                for (std::int64_t j = i; j < i + width; ++j) {
                    sum += values[static_cast<std::size_t>(j)];
                }
                QVERIFY(std::isnan(sum) ? std::isnan(found) : found == sum);
            }
        }
    }

    void sumsAlongXHaveTheSameBitsByBlocks_data() {
        QTest::addColumn<std::int64_t>("width");
        for (const std::int64_t width : {1, 2, 7, 16, 63, 64, 100, 129, 256}) {
            QTest::addRow("%lld", static_cast<long long>(width)) << width;
        }
    }

    /// Blocks take narrow windows through shared memory; items do without. Two tiles along each
    /// axis, the last ones incomplete.
    void sumsAlongXHaveTheSameBitsByBlocks() {
        QFETCH(std::int64_t, width);
        const Extents templ{width, 2, 3};
        const Extents scene{2 * width + 301, 9, 8};
        test::Random random(11);
        std::vector<float> voxels(static_cast<std::size_t>(base::voxelCount(scene)));
        std::generate(voxels.begin(), voxels.end(),
                      [&] { return static_cast<float>(random.below(100000)) * 0.37F; });
        const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            return static_cast<std::size_t>((z * scene.y + y) * scene.x + x);
        };
        voxels[at(scene.x / 2, 2, 1)] = std::numeric_limits<float>::quiet_NaN();
        voxels[at(scene.x / 2 + 9, 4, 5)] = std::numeric_limits<float>::infinity();
        cuda::TiledLaunch launch;
        launch.scene = voxels.data();
        launch.extents = scene;
        launch.templ = templ;
        launch.map = {scene.x - templ.x + 1, scene.y - templ.y + 1, scene.z - templ.z + 1};
        launch.out = {launch.map.x / 2 + 20, 5, 4};
        QVERIFY(cuda::sumsInBlocks(launch));
        const Extents room = cuda::windowsAlong(1, launch.out, templ);
        const std::int64_t tiles = cuda::countOf(cuda::tileGrid(launch.map, launch.out));
        std::vector<cuda::TileFacts> facts(static_cast<std::size_t>(tiles));
        for (cuda::TileFacts& one : facts) {
            one.frame.level = 11;
            one.frame.half = 0.5;
        }
        launch.facts = facts.data();
        const auto sums = [&](bool blocks) {
            constexpr cuda::PanelSum kUnwritten{-1, -2};
            std::vector<cuda::PanelSum> found(static_cast<std::size_t>(tiles * cuda::countOf(room)),
                                              kUnwritten);
            launch.first = found.data();
            using Along = cuda::AlongX<float, float>;
            if (!blocks) {
                for (std::int64_t item = 0; item < tiles * cuda::itemsAlongX(launch); ++item) {
                    Along::item(launch, item);
                }
            }
            auto memory = std::make_unique<Along::Shared>();
            const auto each = [](auto&& phase) {
                for (int thread = 0; thread < cuda::shared::kBlockThreads; ++thread) {
                    phase(thread);
                }
            };
            for (std::int64_t block = 0; blocks && block < tiles * Along::blocks(launch); ++block) {
                std::memset(static_cast<void*>(memory.get()), 0xFF, sizeof(*memory));
                Along::block(launch, block, *memory, each);
            }
            return found;
        };
        const auto byItems = sums(false);
        const auto byBlocks = sums(true);
        std::int64_t written = 0;
        std::int64_t nan = 0;
        for (std::size_t i = 0; i < byItems.size(); ++i) {
            const cuda::PanelSum& a = byItems[i];
            const cuda::PanelSum& b = byBlocks[i];
            written += a.first != -1 || a.second != -2 ? 1 : 0;
            nan += std::isnan(a.first) ? 1 : 0;
            QVERIFY2((a.first == b.first && a.second == b.second) ||
                         (std::isnan(a.first) && std::isnan(b.first)),
                     qPrintable(QString::number(i)));
        }
        QVERIFY(written > 0);
        QVERIFY(nan >= width); // as many windows hold a voxel that is not finite
    }

    void energiesAreThoseOfTheBrightestLine_data() {
        QTest::addColumn<Extents>("points");
        for (const Extents& points : {Extents{30, 14, 1}, Extents{8, 6, 10}, Extents{128, 1, 1},
                                      Extents{2, 70, 1}, Extents{10, 1, 40}}) {
            QTest::addRow("%s", base::toString(points).c_str()) << points;
        }
    }

    void energiesAreThoseOfTheBrightestLine() {
        QFETCH(Extents, points);
        // A row, a column and a pillar of their own brightness in turn.
        for (int axis = 0; axis < 3; ++axis) {
            const std::int64_t length = axis == 0 ? points.x : axis == 1 ? points.y : points.z;
            if (length == 1) {
                continue;
            }
            std::vector<float> data(static_cast<std::size_t>(cuda::tileValues(points)),
                                    std::numeric_limits<float>::quiet_NaN());
            double total = 0;
            for (std::int64_t z = 0; z < points.z; ++z) {
                for (std::int64_t y = 0; y < points.y; ++y) {
                    for (std::int64_t x = 0; x < points.x; ++x) {
                        const bool bright = (axis == 0 || x == points.x - 1) &&
                                            (axis == 1 || y == points.y - 1) &&
                                            (axis == 2 || z == points.z - 1);
                        const float value = bright ? 8.0F : 0.125F;
                        const std::int64_t row = (z * points.y + y) * cuda::rowValues(points);
                        data[static_cast<std::size_t>(row + x)] = value;
                        total += static_cast<double>(value) * static_cast<double>(value);
                    }
                }
            }
            const method::shared::TileEnergy found = energyOf(points, data);
            QCOMPARE(found.largestMeanSquare, 64.0);
            QCOMPARE(found.total, total);
            // Lines along x and z count for `crossing` and `gathered` (engine/method/NUMERICS.md,
            // section 5).
            const auto brightest = [&](int along) {
                const std::int64_t points1 = along == 0   ? points.x
                                             : along == 1 ? points.y
                                                          : points.z;
                const double line = along == axis ? 64.0 * static_cast<double>(points1)
                                                  : 64.0 + static_cast<double>(points1 - 1) / 64;
                return std::pair{line, static_cast<double>(points1)};
            };
            double gathered = 0;
            double across = 0;
            double crossing = 0;
            for (int along = 0; along < 3; ++along) {
                const auto [line, points1] = brightest(along);
                if (points1 == 1) {
                    continue;
                }
                gathered = std::max(gathered, line / std::min(points1, 256.0));
                if (along != 1) {
                    across += line / 256;
                    crossing = std::max(crossing, line / std::max(points1, 16.0));
                }
            }
            QVERIFY(std::abs(found.largestGathered - gathered - across) <= 1e-12 * gathered);
            QVERIFY(std::abs(found.largestCrossing - crossing) <= 1e-12 * crossing);
        }
    }

    void lengthsAreSmooth() {
        using method::shared::isSmooth;
        using method::shared::nextSmooth;
        QVERIFY(isSmooth(1) && isSmooth(2 * 3 * 5 * 7) && !isSmooth(11) && !isSmooth(26));
        QCOMPARE(nextSmooth(11), std::int64_t{12});
        QCOMPARE(nextSmooth(513), std::int64_t{525});
        for (const Extents& n : {Extents{1, 1, 7}, Extents{13, 11, 1}, Extents{513, 513, 513}}) {
            const Extents whole = cuda::wholeTile(submitted(n, {1, 1, 1}));
            QVERIFY(whole.x >= n.x && whole.y >= n.y && whole.z >= n.z && whole.x % 2 == 0);
            QVERIFY(isSmooth(whole.x) && isSmooth(whole.y) && isSmooth(whole.z));
            QVERIFY(n.y > 1 || whole.y == 1);
        }
    }

  private:
    /// What the blocks of a tile find, put together.
    static method::shared::TileEnergy energyOf(const Extents& points, std::vector<float>& data) {
        cuda::TileFacts facts;
        std::vector<cuda::TileShare> shares(static_cast<std::size_t>(cuda::shareCount(points)));
        cuda::TiledLaunch launch;
        launch.points = points;
        launch.data = data.data();
        launch.facts = &facts;
        launch.shares = shares.data();
        cuda::TiledShared memory;
        const auto each = [](auto&& phase) {
            for (int thread = 0; thread < cuda::shared::kBlockThreads; ++thread) {
                phase(thread);
            }
        };
        for (std::int64_t block = 0; block < cuda::lineShares(points); ++block) {
            cuda::TiledEnergy<float>::lines(launch, block, false, memory, each);
        }
        cuda::TiledEnergy<float>::join(launch, 0, false, memory, each);
        return facts.in;
    }
};

const flcc::test::TestClass<TiledTest> kTiledTest;
#include "tiled_test.moc"
