#include <QtTest>

#include <cmath>
#include <string>

#include "engine/base/error.h"
#include "engine/method/canonical.h"
#include "tests/engine/cpu/masks.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/support/comparison.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using test::Call;
using test::DeviceDouble;

namespace {

using Direct = test::OnDouble;

} // namespace

/// The direct method on a device that is stood in for: what the host does around it.
class DeviceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    // Stored voxels are read with the strides of their view, and nothing beside.
    void aPartOfASceneIsMatchedAsItsCopy() {
        const Direct direct;
        const base::AnyImage scene = test::texture(PixelType::UInt16, {150, 90, 4}, 3);
        const base::AnyImage templ = test::crop(scene, {{50, 40, 1}, {7, 5, 2}});
        const base::Box box{{11, 7, 1}, {100, 60, 3}};
        const base::AnyImage copy = test::crop(scene, box);
        const test::Way way = direct.way(copy, templ);
        const auto part =
            test::runMethod(way, base::partOf(base::viewOf(scene), box), base::viewOf(templ));
        const auto whole = test::runMethod(way, base::viewOf(copy), base::viewOf(templ));
        QCOMPARE(test::firstDifferentBit(part.map, whole.map), std::string());
    }

    void partsOfAMapGiveTheBitsOfTheWhole() {
        const Direct direct;
        for (const Extents& n : {Extents{200, 110, 1}, Extents{90, 50, 9}}) {
            const base::AnyImage scene = test::texture(PixelType::Float32, n, 5);
            const base::AnyImage templ =
                test::noise(PixelType::Float32, {6, 9, n.z > 1 ? 3 : 1}, 6);
            const auto whole =
                test::runMethod(direct.way(scene, templ), base::viewOf(scene), base::viewOf(templ));
            const auto parts = test::runMethod(direct.way(scene, templ, {64, 32, 2}),
                                               base::viewOf(scene), base::viewOf(templ));
            QCOMPARE(whole.regions.size(), std::size_t{1});
            QVERIFY(parts.regions.size() > 3);
            QCOMPARE(test::firstDifferentBit(parts.map, whole.map), std::string());
            QCOMPARE(test::runFault(parts), std::string());
        }
    }

    // Threads of a phase need nothing of each other.
    void theOrderOfThreadsChangesNothing() {
        const Direct direct;
        for (const PixelType type : {PixelType::UInt8, PixelType::Int16, PixelType::Float64}) {
            for (const Extents& m : {Extents{5, 4, 1}, Extents{33, 17, 1}, Extents{7, 9, 3}}) {
                base::AnyImage scene = test::texture(type, {150, 70, m.z > 1 ? 5 : 1}, 5);
                if (type == PixelType::Float64) {
                    test::setVoxel(scene, {75, 30, 0}, std::nan(""));
                }
                const base::AnyImage templ = test::noise(type, m, 6);
                test::Way way = direct.way(scene, templ);
                way.precision = m.x == 33 ? method::Precision::Double : method::Precision::Single;
                const auto run = [&](bool backwards) {
                    test::deviceDouble().backwards = backwards;
                    return test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
                };
                const auto forth = run(false);
                const auto back = run(true);
                QCOMPARE(test::firstDifferentBit(forth.map, back.map), std::string());
                QCOMPARE(forth.outcome.facts.largestBound, back.outcome.facts.largestBound);
                QVERIFY(forth.outcome.facts.statusCounts == back.outcome.facts.statusCounts);
            }
        }
    }

    void everyCallThatFailsIsAnErrorAndLeavesNothingBehind_data() {
        QTest::addColumn<bool>("tiled");
        QTest::addColumn<bool>("masked");
        QTest::addColumn<int>("call");
        QTest::addColumn<int>("result");
        for (const auto& [tiled, masked] :
             {std::pair{false, false}, std::pair{true, false}, std::pair{true, true}}) {
            for (int call = 0; call < test::kCalls; ++call) {
                const auto kind = static_cast<Call>(call);
                if (kind == Call::Merge || kind == Call::Reduce || kind == Call::Limit) {
                    continue; // of maps that stay on the device: reduce_test; no method measures
                }
                if (masked  ? kind < Call::MakeTransform
                    : tiled ? kind == Call::Direct || kind == Call::Support
                            : kind >= Call::MakeTransform) {
                    continue; // not a call of this method, or as without a mask
                }
                for (const int result : {cuda::kOutOfMemory, DeviceDouble::kInvalidValue,
                                         DeviceDouble::kIllegalAddress, DeviceDouble::kNoPlan}) {
                    QTest::addRow("%s, call %d, error %d",
                                  masked  ? "masked"
                                  : tiled ? "tiled"
                                          : "direct",
                                  call, result)
                        << tiled << masked << call << result;
                }
            }
        }
    }

    void everyCallThatFailsIsAnErrorAndLeavesNothingBehind() {
        QFETCH(bool, tiled);
        QFETCH(bool, masked);
        QFETCH(int, call);
        QFETCH(int, result);
        const base::AnyImage scene = test::texture(PixelType::Float32, {100, 60, 1}, 5);
        const base::AnyImage pixels = test::noise(PixelType::Float32, {5, 4, 1}, 6);
        const test::Mask mask = test::disc({5, 4, 1});
        method::MaskedView templ = base::viewOf(pixels);
        templ.mask = masked ? mask.view() : templ.mask;
        DeviceDouble& device = test::deviceDouble();
        std::int64_t failures = 0;
        for (std::int64_t turn = 1;; ++turn) {
            device.reset();
            device.about.memoryBytes = 1 << 18; // tiles in several parts
            device.order = test::Order::Late;   // of which some are under way
            const test::OnDouble own(tiled ? cuda::tiledMethod : cuda::directMethod);
            const test::Way way = own.way(base::viewOf(scene), templ,
                                          tiled ? Extents{30, 32, 1} : Extents{64, 32, 1});
            device.call = static_cast<Call>(call);
            device.turn = turn;
            device.result = result;
            bool threw = false;
            try {
                const auto run = test::runMethod(way, base::viewOf(scene), templ);
                QCOMPARE(test::runFault(run), std::string());
                QVERIFY(run.regions.size() > 1);
            } catch (const base::Error& error) {
                threw = true;
                QCOMPARE(error.code() == base::ErrorCode::Memory, result == cuda::kOutOfMemory);
                QVERIFY(error.code() == base::ErrorCode::Memory ||
                        error.code() == base::ErrorCode::Device);
                QVERIFY(std::string(error.what()).find("cuda:0") != std::string::npos);
            }
            QCOMPARE(device.memoryBlocks, std::int64_t{0});
            QCOMPARE(device.pinnedBlocks, std::int64_t{0});
            QCOMPARE(device.waiting, std::int64_t{0});
            QCOMPARE(device.events, std::int64_t{0});
            QCOMPARE(device.streams, std::int64_t{0});
            QCOMPARE(device.transforms, std::int64_t{0});
            // A sticky error ends the device for the process, any other leaves it as it was.
            const bool lost = threw && result == DeviceDouble::kIllegalAddress;
            QCOMPARE(own.engine.reasonAgainst(0).empty(), !lost);
            if (lost) {
                QVERIFY(own.way(base::viewOf(scene), templ).method == nullptr); // refused
            }
            if (!threw) {
                break; // fewer calls than turns
            }
            ++failures;
        }
        QVERIFY2(failures >= 1, "no call of this kind was made");
    }

    void aStopEndsTheRunBetweenParts() {
        const Direct direct;
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
        const auto run = test::runMethod(direct.way(scene, templ, {64, 32, 1}), base::viewOf(scene),
                                         base::viewOf(templ), options);
        QVERIFY(run.outcome.cancelled);
        QCOMPARE(run.regions.size(), std::size_t{3});
        QCOMPARE(test::runFault(run), std::string());
    }

    void whatBreaksThePromiseIsComputedAgain() {
        const Direct direct;
        base::AnyImage scene = test::noise(PixelType::Float32, {150, 80, 1}, 4);
        test::setVoxel(scene, {75, 40, 0}, 1e9);
        const base::AnyImage templ = test::crop(scene, {{30, 20, 0}, {11, 9, 1}});
        test::Way way = direct.way(scene, templ);
        const auto run = test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
        QVERIFY(run.outcome.facts.recomputed > 0);
        way.recompute = false;
        const auto marked = test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
        const auto low = static_cast<std::size_t>(base::Status::LowConf);
        QCOMPARE(marked.outcome.facts.statusCounts[low], run.outcome.facts.recomputed);
        QVERIFY(marked.outcome.facts.largestLowConf > 1e-4);
    }

    // With recomputing off nothing but the kernels' own arithmetic can keep such a promise.
    void inDoubleAPromiseOfFarFewerDigitsIsKept() {
        for (const auto make : {cuda::directMethod, cuda::tiledMethod, cuda::fourierMethod}) {
            const test::OnDouble own(make);
            for (const PixelType type :
                 {PixelType::UInt8, PixelType::UInt16, PixelType::Float32, PixelType::Float64}) {
                const base::AnyImage scene = type == PixelType::UInt16
                                                 ? test::oneCountOver(type, {150, 80, 1}, 60000, 4)
                                                 : test::noise(type, {150, 80, 1}, 4);
                const base::AnyImage templ = test::crop(scene, {{30, 20, 0}, {21, 19, 1}});
                test::Way way = own.way(scene, templ);
                way.recompute = false;
                way.promise = 1e-10;
                way.precision = method::Precision::Double;
                const auto run = test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
                QCOMPARE(run.outcome.facts.statusCounts[static_cast<std::size_t>(base::Status::Ok)],
                         run.map.value.count());
                const method::CanonicalTemplate canonical(base::viewOf(templ));
                for (std::int64_t i = 0; i < run.map.value.count(); i += 7) {
                    const base::Extents& map = run.map.value.extents();
                    const double score = method::canonicalScore(base::viewOf(scene), canonical,
                                                                {i % map.x, i / map.x, 0});
                    QVERIFY(std::abs(run.map.exact.data()[i] - score) <=
                            run.outcome.facts.largestBound + method::canonicalBound(21 * 19));
                    QCOMPARE(run.map.value.data()[i], static_cast<float>(run.map.exact.data()[i]));
                }
            }
        }
    }

    // The host keeps such a promise without recomputing only where the kernels are in double.
    void typesWithoutKernelsInSinglePrecisionAreComputedInDouble_data() {
        QTest::addColumn<int>("type");
        for (const PixelType type : {PixelType::Int32, PixelType::UInt32, PixelType::Float64}) {
            QTest::newRow(std::string(base::name(type)).c_str()) << static_cast<int>(type);
        }
    }

    void typesWithoutKernelsInSinglePrecisionAreComputedInDouble() {
        QFETCH(int, type);
        const base::AnyImage scene =
            test::oneCountOver(static_cast<PixelType>(type), {150, 80, 1}, 1 << 28, 4);
        const base::AnyImage templ = test::crop(scene, {{30, 20, 0}, {21, 19, 1}});
        for (const auto make : {cuda::directMethod, cuda::tiledMethod}) {
            test::deviceDouble().reset();
            const test::OnDouble own(make);
            test::Way way = own.way(scene, templ);
            way.recompute = false;
            way.promise = 2e-7;
            const auto predicted = std::get<method::Prediction>(own.method->predict(
                way.of(test::problemOf(base::viewOf(scene), base::viewOf(templ))), way.candidate,
                {2}, {}, nullptr));
            const auto run = test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
            QCOMPARE(run.outcome.facts.statusCounts[static_cast<std::size_t>(base::Status::Ok)],
                     run.map.value.count());
            QVERIFY(run.map.exact.empty());
            QVERIFY(run.outcome.facts.largestBound >= 0x1p-24);
            QVERIFY(predicted.onDevice.bytes >= test::deviceDouble().mostBytes);
        }
    }

    void whatItDoesNotSolveIsRefusedWithAReason() {
        const Direct direct;
        method::Problem problem;
        problem.scene = {100, 100, 1};
        problem.templ = {9, 9, 1};
        const auto reasonOf = [&](const method::Problem& submitted,
                                  std::int64_t memory = INT64_MAX) -> std::string {
            method::Limits limits{2, memory};
            const auto candidate = direct.method->candidates(submitted, limits, {0, 0, 0}).front();
            const auto verdict = direct.method->predict(submitted, candidate, limits, {}, nullptr);
            const auto* refused = std::get_if<method::Refusal>(&verdict);
            return refused == nullptr ? std::string() : refused->reason;
        };
        QCOMPARE(reasonOf(problem), std::string());
        method::Problem masked = problem;
        masked.mask = true;
        QVERIFY(reasonOf(masked).find("the template has a mask; use tiled") != std::string::npos);
        method::Problem hidden = problem;
        hidden.sceneMask = true;
        hidden.extent = method::Extent::Same;
        QVERIFY(reasonOf(hidden).find("the scene has a mask; use tiled") != std::string::npos);
        hidden.sceneMask = false;
        QVERIFY(reasonOf(hidden).find("placements leave the scene; use") != std::string::npos);
        method::Problem fourier = problem;
        fourier.statistics = method::WindowStatistics::Fourier;
        QVERIFY(reasonOf(fourier).find("direct; use tiled or fourier") != std::string::npos);
        for (const PixelType type : {PixelType::Int64, PixelType::UInt64}) {
            method::Problem wide = problem;
            wide.scenePixel = type;
            QVERIFY(reasonOf(wide).find("64 scenes; convert") != std::string::npos);
        }
        method::Problem inDouble = problem;
        inDouble.precision = method::Precision::Double;
        QCOMPARE(reasonOf(inDouble), std::string());
        QVERIFY(reasonOf(problem, 1000).find("limit") != std::string::npos);
    }

    void aPredictionGrowsWithTransfersAndWork() {
        const Direct direct;
        const auto predicted = [&](const Extents& n, const Extents& m) {
            method::Problem problem;
            problem.scene = n;
            problem.templ = m;
            const method::Limits limits{2, INT64_MAX};
            return std::get<method::Prediction>(direct.method->predict(
                problem, direct.method->candidates(problem, limits, {0, 0, 0}).front(), limits, {},
                nullptr));
        };
        const auto small = predicted({1000, 1000, 1}, {8, 8, 1});
        const auto large = predicted({4000, 1000, 1}, {8, 8, 1});
        const auto deep = predicted({1000, 1000, 1}, {64, 64, 1});
        QVERIFY(large.onDevice.times->upload > 3 * small.onDevice.times->upload);
        QVERIFY(large.onDevice.times->compute > 3 * small.onDevice.times->compute);
        QVERIFY(large.onDevice.times->download > 3 * small.onDevice.times->download);
        // In several parts, each smaller, of which some are under way.
        QVERIFY(large.ms > small.ms && large.ms < large.onDevice.times->oneAfterTheOther());
        QVERIFY(large.onDevice.bytes > 2 * small.onDevice.bytes);
        // Four times the products of a row and of a column each, on nearly as many outputs; half of
        // the rows of a piece of the small template are idle.
        QVERIFY(deep.onDevice.times->compute > 8 * small.onDevice.times->compute);
        // Two parts upload the rows between them twice.
        QVERIFY(deep.onDevice.times->upload < 1.2 * small.onDevice.times->upload);
        QVERIFY(small.setupMs > 0 && small.onDevice.bytes >= 4 * 1000 * 1000);
    }
};

const flcc::test::TestClass<DeviceTest> kDeviceTest;
#include "device_test.moc"
