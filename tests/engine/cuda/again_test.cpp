#include <QtTest>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/cuda/map_run.h"
#include "engine/match/peaks.h"
#include "engine/method/reduced_map.h"
#include "engine/method/shared/direct_block.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/engine/cuda/reduced_cases.h"
#include "tests/support/comparison.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;
using test::Call;
using test::DeviceDouble;
using test::Order;

namespace {

enum Kind { kDirect, kTiled, kFourier };

cuda::MakeMethod makerOf(int kind) {
    return kind == kDirect  ? cuda::directMethod
           : kind == kTiled ? cuda::tiledMethod
                            : cuda::fourierMethod;
}

/// Noise under a bright line, which breaks the promise in whole tiles and blocks below; on the
/// right a faint place, where few panels do, a flat one and a NaN.
struct Work {
    base::AnyImage scene;
    base::AnyImage templ;

    Work() {
        test::Random random(4);
        const auto isIn = [](const base::Index& at, const base::Box& box) {
            return at.x >= box.corner.x && at.x < box.corner.x + box.extents.x &&
                   at.y >= box.corner.y && at.y < box.corner.y + box.extents.y;
        };
        scene = test::makeScene(PixelType::Float32, {260, 130, 1}, [&](const base::Index& at) {
            const bool bright = at.y == 0 && at.x < 150;
            const double noise = random.uniform();
            return isIn(at, {{112, 15, 0}, {46, 40, 1}})   ? 2.0
                   : isIn(at, {{215, 60, 0}, {42, 38, 1}}) ? 2.0 + 1e-5 * noise
                                                           : noise + (bright ? 4e5 : 0.0);
        });
        test::setVoxel(scene, {200, 20, 0}, std::nan(""));
        templ = test::crop(scene, {{170, 60, 0}, {40, 36, 1}});
    }

    [[nodiscard]] method::Problem problem() const {
        return test::problemOf(base::viewOf(scene), base::viewOf(templ));
    }
    [[nodiscard]] test::Way way(const test::OnDouble& own, int kind) const {
        const Extents tile = kind == kDirect  ? Extents{64, 32, 1}
                             : kind == kTiled ? Extents{96, 80, 1}
                                              : Extents{0, 0, 0};
        return own.way(scene, templ, tile);
    }
    [[nodiscard]] test::MethodRun run(const test::Way& way,
                                      const test::RunOptions& options = {}) const {
        return test::runMethod(way, base::viewOf(scene), base::viewOf(templ), options);
    }
    [[nodiscard]] std::string judge(const test::Way& way) const {
        static const reference::ScoreMap expected =
            test::judged(base::viewOf(scene), base::viewOf(templ));
        return test::judge(way, base::viewOf(scene), base::viewOf(templ), expected);
    }
};

/// A device with so little memory that there are several parts, and so fast that it pays to do them
/// again; `fourier` has one.
void smallDevice(int kind, std::int32_t copyEngines = 2, std::int32_t devices = 1) {
    DeviceDouble& device = test::deviceDouble();
    device.resetFast();
    device.start.devices = devices;
    device.about.memoryBytes = kind == kDirect ? 1 << 18 : kind == kTiled ? 1 << 21 : 1 << 23;
    device.about.copyEngines = copyEngines;
}

std::int64_t count(const test::MethodRun& run, Status status) {
    return run.outcome.facts.statusCounts[static_cast<std::size_t>(status)];
}

/// In all that does not depend on how a map is cut into parts.
bool isAlike(const test::MethodRun& found, const test::MethodRun& expected) {
    const method::MapFacts& a = found.outcome.facts;
    const method::MapFacts& b = expected.outcome.facts;
    return test::runFault(found).empty() &&
           test::firstDifferentBit(found.map, expected.map).empty() &&
           a.statusCounts == b.statusCounts && a.recomputed == b.recomputed &&
           a.largestBound == b.largestBound && a.largestLowConf == b.largestLowConf;
}

double stageOf(const test::MethodRun& run, const std::string& name) {
    for (const auto& [stage, ms] : run.outcome.stagesMs) {
        if (stage == name) {
            return ms;
        }
    }
    return -1;
}

/// A problem that is posed otherwise, by a workspace of its own.
struct Posed {
    Posed(const Work& work, const test::Way& asked, method::Problem posed)
        : way(asked), problem(std::move(posed)), scene(base::viewOf(work.scene)),
          prepared(way.method->prepare(problem, way.candidate, base::viewOf(work.templ), pool)),
          workspace(way.method->makeWorkspace(problem, way.candidate)) {}

    [[nodiscard]] test::MethodRun run(method::SceneHold* hold = nullptr) {
        test::MethodRun run;
        run.map = method::MatchMap(method::mapExtents(problem));
        run.outcome = way.method->execute(problem, way.candidate, *prepared, scene, *workspace,
                                          {pool, {}, {}, hold}, method::viewOf(run.map));
        return run;
    }
    [[nodiscard]] method::Outcome reduce(const method::Reduction& wanted) {
        return way.method->reduce(problem, way.candidate, {prepared}, scene, *workspace,
                                  {pool, {}, {}}, wanted);
    }

    const test::Way& way;
    base::TilePool pool{2};
    method::Problem problem;
    method::MaskedView scene;
    std::shared_ptr<const method::Prepared> prepared;
    std::unique_ptr<method::Workspace> workspace;
};

/// On a device so slow that canonical values cost less.
test::MethodRun voxelByVoxel(const Work& work, int kind, float wrong) {
    smallDevice(kind);
    test::deviceDouble().about.gigahertz = 1e-6;
    test::deviceDouble().wrong = wrong;
    const test::OnDouble own(makerOf(kind));
    return work.run(work.way(own, kind));
}

} // namespace

/// LOWCONF voxels that a device computes again in double, on one that is stood in for.
class AgainTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void whereManyBreakThePromiseTheDeviceDoesThemAgain_data() { everyKind(); }

    void whereManyBreakThePromiseTheDeviceDoesThemAgain() {
        QFETCH(int, kind);
        const Work work;
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        test::Way way = work.way(own, kind);
        QCOMPARE(work.judge(way), std::string());
        const std::int64_t before = callsOfKernels(kind);
        const test::MethodRun again = work.run(way);
        QCOMPARE(test::runFault(again), std::string());
        QCOMPARE(count(again, Status::LowConf), std::int64_t{0});
        QVERIFY(again.outcome.facts.largestBound <= way.promise);
        QCOMPARE(again.outcome.facts.largestLowConf, 0.0);
        const std::int64_t calls = callsOfKernels(kind) - before;

        way.recompute = false;
        const test::MethodRun kept = work.run(way);
        QCOMPARE(test::runFault(kept), std::string());
        const std::int64_t low = count(kept, Status::LowConf);
        QVERIFY(10 * low > kept.map.value.count());
        QCOMPARE(again.outcome.facts.recomputed, low);
        QCOMPARE(kept.outcome.facts.recomputed, std::int64_t{0});
        QVERIFY(callsOfKernels(kind) - before - calls < calls); // nothing was computed again
        QVERIFY(stageOf(again, "recomputation") > 0);
        QVERIFY(again.outcome.times->downloaded > kept.outcome.times->downloaded);
        for (std::int64_t i = 0; i < kept.map.value.count(); ++i) {
            if (kept.map.status.data()[i] != Status::LowConf) {
                QCOMPARE(again.map.value.data()[i], kept.map.value.data()[i]);
                QCOMPARE(again.map.status.data()[i], kept.map.status.data()[i]);
            }
        }
    }

    // A device whose scores are all off by as much: canonical values of the host are not.
    void hostsComputeFewPanels_data() { everyKind(); }

    void hostsComputeFewPanels() {
        QFETCH(int, kind);
        const Work work;
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        const test::Way way = work.way(own, kind);
        const test::MethodRun right = work.run(way);
        const std::int64_t low = right.outcome.facts.recomputed;
        const auto byHost = [&](const test::MethodRun& run) {
            std::int64_t panels = 0;
            for (std::int64_t i = 0; i < run.map.value.count(); ++i) {
                const float off = run.map.value.data()[i] - right.map.value.data()[i];
                panels += run.map.status.data()[i] == Status::Ok && std::abs(off) < 0.01F ? 1 : 0;
            }
            return panels;
        };
        test::deviceDouble().wrong = 0.5F;
        const std::int64_t few = byHost(work.run(way));
        QVERIFY2(3 * few < low, qPrintable(QStringLiteral("%1 of %2").arg(few).arg(low)));
        QVERIFY(kind == kFourier || few > 0); // of the faint place
        QCOMPARE(byHost(voxelByVoxel(work, kind, 0.5F)), low);
    }

    // Of a part, the only one, whose blocks beside bright lines break the promise; those between
    // would cost more than a further piece.
    void rowsOfBlocksAreDoneAgain() {
        Work work;
        for (std::int64_t x = 0; x < 260; ++x) {
            test::setVoxel(work.scene, {x, 82, 0}, 4e5);
        }
        smallDevice(kDirect);
        test::deviceDouble().about.memoryBytes = std::int64_t{8} << 30;
        test::deviceDouble().about.gigahertz = 3e-4F;
        const test::OnDouble own(cuda::directMethod);
        test::Way way = own.way(work.scene, work.templ, {256, 128, 1});
        const test::MethodRun again = work.run(way);
        QCOMPARE(again.regions.size(), std::size_t{1});
        QVERIFY(again.outcome.facts.recomputed > 1000);
        way.recompute = false;
        const std::int64_t more =
            again.outcome.times->downloaded - work.run(way).outcome.times->downloaded;
        const std::int64_t voxels = again.map.value.count();
        QVERIFY2(2 * more < 5 * voxels,
                 qPrintable(QStringLiteral("%1 bytes of %2 voxels").arg(more).arg(voxels)));
    }

    void bitsDoNotDependOnWhatOverlaps_data() { everyKind(); }

    void bitsDoNotDependOnWhatOverlaps() {
        QFETCH(int, kind);
        const Work work;
        smallDevice(kind, 0);
        const test::OnDouble plain(makerOf(kind));
        const test::MethodRun alone = work.run(work.way(plain, kind));
        QVERIFY(alone.outcome.facts.recomputed > 0);
        for (const Order order : {Order::AtOnce, Order::Late, Order::Ahead}) {
            for (const int engines : {0, 2}) {
                smallDevice(kind, engines);
                test::deviceDouble().order = order;
                const test::OnDouble own(makerOf(kind));
                test::Way way = work.way(own, kind);
                for (const int inFlight : {0, 1, 2}) {
                    way.candidate.inFlight = inFlight;
                    QVERIFY(isAlike(work.run(way), alone));
                }
            }
            if (kind == kFourier) { // whose map has one part
                continue;
            }
            smallDevice(kind, 2, 2);
            test::deviceDouble().order = order;
            const test::OnDouble both(makerOf(kind), {0, 1});
            QVERIFY(isAlike(work.run(work.way(both, kind)), alone));
        }
        smallDevice(kind); // with as much room as any part asks for
        test::deviceDouble().about.memoryBytes = std::int64_t{8} << 30;
        const test::OnDouble roomy(makerOf(kind));
        const test::MethodRun large = work.run(work.way(roomy, kind));
        QVERIFY(isAlike(large, alone));
    }

    // Whose parts, and with them the room for one in double, do.
    void tilesInDoubleDoNotDependOnWhatOverlaps() {
        const Work work;
        bool again = false;
        for (const std::int64_t memory : {3 << 19, 1 << 21, 3 << 20, 1 << 22, 3 << 21}) {
            const auto run = [&](std::int32_t copyEngines, const std::vector<std::int32_t>& gpus) {
                smallDevice(kTiled, copyEngines, 2);
                test::deviceDouble().about.memoryBytes = memory;
                const auto own = gpus.size() > 1
                                     ? std::make_unique<test::OnDouble>(cuda::tiledMethod, gpus)
                                     : std::make_unique<test::OnDouble>(cuda::tiledMethod);
                const std::int64_t before = callsOfKernels(kTiled);
                test::MethodRun found = work.run(own->way(work.scene, work.templ, {128, 100, 1}));
                again = again || callsOfKernels(kTiled) - before > 2 + 6 * 4; // template, tiles
                return found;
            };
            const test::MethodRun alone = run(0, {0});
            QVERIFY(isAlike(run(2, {0}), alone));
            QVERIFY(isAlike(run(0, {0, 1}), alone));
        }
        QVERIFY(again);
    }

    // The first one decides, on one so slow that it would leave all to the host as on one so fast
    // that it would not.
    void unequalDevicesDecideAlike_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("slowFirst");
        for (const int kind : {kDirect, kTiled}) {
            for (const bool slowFirst : {false, true}) {
                QTest::addRow("%d, %s first", kind, slowFirst ? "slow" : "fast")
                    << kind << slowFirst;
            }
        }
    }

    void unequalDevicesDecideAlike() {
        QFETCH(int, kind);
        QFETCH(bool, slowFirst);
        const Work work;
        const auto run = [&](bool shared) {
            smallDevice(kind, 2, 2);
            DeviceDouble& device = test::deviceDouble();
            device.wrong = 0.5F; // canonical values are not
            device.unlike = [slowFirst](std::int32_t number, cuda::PluginDevice& own) {
                own.gigahertz = (number == 0) == slowFirst ? 1e-6F : 1;
            };
            std::array<std::atomic<std::int64_t>, 2> started{};
            device.starting = [&](std::int32_t number) {
                ++started[static_cast<std::size_t>(number)];
                // One device waits until the other has a part.
                for (int i = 0;
                     shared && i < 2000 && started[static_cast<std::size_t>(1 - number)] == 0;
                     ++i) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            };
            const auto own =
                shared ? std::make_unique<test::OnDouble>(makerOf(kind), std::vector{0, 1})
                       : std::make_unique<test::OnDouble>(makerOf(kind));
            test::MethodRun found = work.run(work.way(*own, kind));
            device.starting = {};
            return std::pair{std::move(found), started[1] > 0};
        };
        const auto [alone, none] = run(false);
        const auto [shared, both] = run(true);
        QVERIFY(both && !none);
        QVERIFY(isAlike(shared, alone));
    }

    void aMapThatStaysHasTheSameScores_data() { everyKind(); }

    void aMapThatStaysHasTheSameScores() {
        QFETCH(int, kind);
        const Work work;
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        const test::Way way = work.way(own, kind);
        method::Problem problem = way.of(work.problem());
        Posed whole(work, way, problem);
        problem.map = false;
        Posed reduced(work, way, problem);
        const std::vector<base::Index> asked = test::someVoxels(method::mapExtents(work.problem()));
        for (int turn = 0; turn < 2; ++turn) { // the buffers serve further runs
            const test::MethodRun all = whole.run();
            const method::Outcome some = reduced.reduce({0.5, false, asked});
            QVERIFY(test::same(some.facts, all.outcome.facts));
            QVERIFY(some.facts.recomputed > 0);
            method::ScoreTally tally;
            method::addRow(all.map.value.data(), all.map.status.data(), all.map.value.count(),
                           tally);
            QVERIFY(
                test::same(match::statisticsOf(some.reduced->tally()), match::statisticsOf(tally)));
            for (const base::Index& at : asked) {
                const auto voxel = some.reduced->asked(at);
                QCOMPARE(voxel.status, all.map.status.view().at(at));
                QCOMPARE(voxel.value, static_cast<double>(all.map.value.view().at(at)));
            }
            for (const method::ReducedMap::Part& part : some.reduced->parts()) {
                for (std::int64_t i = 0; i < part.value.count(); ++i) {
                    const base::Index at{part.box.corner.x + i % part.box.extents.x,
                                         part.box.corner.y + i / part.box.extents.x, 0};
                    QCOMPARE(part.value.data()[i], all.map.value.view().at(at));
                }
            }
        }
    }

    void aSceneThatStaysIsNotBroughtAgain_data() { everyKind(); }

    void aSceneThatStaysIsNotBroughtAgain() {
        QFETCH(int, kind);
        const Work work;
        smallDevice(kind);
        test::deviceDouble().about.memoryBytes *= 2;
        const test::OnDouble own(makerOf(kind));
        const test::Way way = work.way(own, kind);
        const test::MethodRun alone = work.run(way);
        method::Problem problem = way.of(work.problem());
        problem.runs = 3;
        test::deviceDouble().mostBytes = 0;
        method::SceneHold hold;
        Posed posed(work, way, problem);
        for (int turn = 0; turn < 2; ++turn) {
            const test::MethodRun run = posed.run(&hold);
            QVERIFY(hold.scene != nullptr && !hold.refused);
            QVERIFY(run.outcome.facts.recomputed > 0);
            QCOMPARE(test::firstDifferentBit(run.map, alone.map), std::string());
            QCOMPARE(run.outcome.times->uploads, turn == 0 ? 1 : 0);
        }
        const auto predicted = std::get<method::Prediction>(
            own.method->predict(problem, way.candidate, {2}, {}, nullptr));
        QVERIFY2(predicted.deviceBytes >= test::deviceDouble().mostBytes,
                 qPrintable(QStringLiteral("%1 for %2")
                                .arg(predicted.deviceBytes)
                                .arg(test::deviceDouble().mostBytes)));
    }

    void theMemoryOfTheDeviceIsEnough_data() { everyKind(); }

    void theMemoryOfTheDeviceIsEnough() {
        QFETCH(int, kind);
        const Work work;
        for (const int engines : {0, 2}) {
            smallDevice(kind, engines);
            const test::OnDouble own(makerOf(kind));
            const test::Way way = work.way(own, kind);
            const auto predicted = std::get<method::Prediction>(
                own.method->predict(work.problem(), way.candidate, {2}, {}, nullptr));
            const std::int64_t beside =
                method::mapBytes(work.problem()) + base::byteCount(work.problem().templ, 12);
            QVERIFY(work.run(way).outcome.facts.recomputed > 0);
            const DeviceDouble& device = test::deviceDouble();
            QVERIFY2(
                predicted.deviceBytes >= device.mostBytes,
                qPrintable(
                    QStringLiteral("%1 for %2").arg(predicted.deviceBytes).arg(device.mostBytes)));
            QVERIFY(predicted.hostBytes >= beside + device.mostPinned);
            // What the blocks of open parts told is kept until those are done.
            method::Problem kept = work.problem();
            kept.recompute = false;
            const auto less = std::get<method::Prediction>(
                own.method->predict(kept, way.candidate, {2}, {}, nullptr));
            const Extents blocks = method::shared::blockGrid(method::mapExtents(kept));
            QVERIFY(predicted.hostBytes - less.hostBytes >=
                    base::byteCount(blocks, sizeof(cuda::BlockTally)));
        }
    }

    // A tile that leaves no room to cut it: what it needs in double counts.
    void aTileThatCannotBeCutIsPredictedInDouble() {
        test::deviceDouble().resetFast();
        Work work;
        work.templ = test::crop(work.scene, {{0, 0, 0}, {150, 90, 1}});
        const test::OnDouble own(cuda::fourierMethod);
        test::Way way = work.way(own, kFourier);
        const auto prediction = [&] {
            return std::get<method::Prediction>(
                own.method->predict(way.of(work.problem()), way.candidate, {2}, {}, nullptr));
        };
        const auto predicted = [&] { return prediction().deviceBytes; };
        const std::int64_t told = predicted();
        const std::int64_t host = prediction().hostBytes;
        QVERIFY(work.run(way).outcome.facts.recomputed > 0);
        const auto most = static_cast<double>(test::deviceDouble().mostBytes);
        QVERIFY2(static_cast<double>(told) >= most && static_cast<double>(told) <= 1.1 * most,
                 qPrintable(QStringLiteral("%1 for %2").arg(told).arg(most)));
        way.recompute = false;
        QVERIFY(predicted() < told);
        // Without that room voxels are left to the host, whether a device has it or others took it.
        const std::int64_t little = (told + predicted()) / 2;
        way.recompute = true;
        way.candidate = own.method
                            ->candidates(way.of(work.problem()),
                                         {.threads = 2, .deviceMemory = little}, {0, 0, 0})
                            .front();
        QVERIFY(predicted() <= little);
        QVERIFY(prediction().hostBytes < host); // what nothing waits for is not counted
        test::deviceDouble().mostBytes = 0;
        QVERIFY(work.run(way).outcome.facts.recomputed > 0);
        QVERIFY(test::deviceDouble().mostBytes <= little);
        way.candidate.deviceMemory = told;
        QCOMPARE(predicted(), told);
        test::deviceDouble().about.memoryBytes = little;
        const test::OnDouble small(cuda::fourierMethod);
        way.recompute = true;
        way.method = small.method.get();
        test::deviceDouble().mostBytes = 0;
        QVERIFY(work.run(way).outcome.facts.recomputed > 0);
        QVERIFY(test::deviceDouble().mostBytes < told);
    }

    void aStopLeavesNothingHalfDone_data() { everyKind(); }

    void aStopLeavesNothingHalfDone() {
        QFETCH(int, kind);
        const Work work;
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        const test::Way way = work.way(own, kind);
        const test::MethodRun full = work.run(way);
        for (const auto when : {std::size_t{1}, full.regions.size() - 1}) {
            std::stop_source stop;
            test::RunOptions options;
            options.stop = stop.get_token();
            options.finished = [&](std::int64_t regions) {
                if (static_cast<std::size_t>(regions) == when) {
                    stop.request_stop();
                }
            };
            if (when == 0) {
                continue; // the only part
            }
            const test::MethodRun run = work.run(way, options);
            QCOMPARE(run.outcome.cancelled, run.regions.size() < full.regions.size());
            QCOMPARE(test::runFault(run), std::string());
            for (const base::Box& box : run.regions) {
                for (std::int64_t y = 0; y < box.extents.y; ++y) {
                    const std::int64_t at = (box.corner.y + y) * run.map.value.extents().x;
                    const auto from = static_cast<std::size_t>(at + box.corner.x);
                    QVERIFY(std::equal(run.map.value.data() + from,
                                       run.map.value.data() + from + box.extents.x,
                                       full.map.value.data() + from));
                }
            }
        }
    }

    // Every call of each kind in turn, those of the second run too.
    void whatFailsIsTold_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("call");
        for (const int kind : {kDirect, kTiled}) {
            for (const Call call : {Call::Allocate, Call::Pin, Call::Upload, Call::Download,
                                    kind == kDirect ? Call::Direct : Call::MakeTransform}) {
                QTest::addRow("%d, call %d", kind, static_cast<int>(call))
                    << kind << static_cast<int>(call);
            }
        }
    }

    void whatFailsIsTold() {
        QFETCH(int, kind);
        QFETCH(int, call);
        const Work work;
        smallDevice(kind);
        const test::MethodRun right = work.run(work.way(test::OnDouble(makerOf(kind)), kind));
        std::string left;
        const test::CallFailures found = test::failEach(
            static_cast<Call>(call), [&] { smallDevice(kind, 0); },
            [&] {
                const test::OnDouble own(makerOf(kind));
                const test::MethodRun run = work.run(work.way(own, kind));
                return test::firstDifferentBit(run.map, right.map);
            });
        QCOMPARE(found.fault, std::string());
        QVERIFY(found.errors > 1);
    }

    void aDeviceThatFailsLeavesItsPiecesToTheOther() {
        const Work work;
        for (const int kind : {kDirect, kTiled}) {
            smallDevice(kind);
            const test::MethodRun alone = work.run(work.way(test::OnDouble(makerOf(kind)), kind));
            bool failed = false;
            // A thread that wakes late leaves its device nothing to fail at.
            for (std::int64_t turn = 2; turn < (failed ? 60 : 600); turn += 3) {
                smallDevice(kind, 2, 2);
                DeviceDouble& device = test::deviceDouble();
                device.failing = 1;
                device.call = Call::Download;
                device.turn = turn % 60;
                device.result = DeviceDouble::kInvalidValue;
                const test::OnDouble own(makerOf(kind), {0, 1});
                const test::MethodRun found = work.run(work.way(own, kind));
                QVERIFY(isAlike(found, alone));
                failed = failed || !found.outcome.failures.empty();
            }
            QVERIFY(failed);
        }
    }

  private:
    static void everyKind() {
        QTest::addColumn<int>("kind");
        QTest::newRow("direct") << static_cast<int>(kDirect);
        QTest::newRow("tiled") << static_cast<int>(kTiled);
        QTest::newRow("fourier") << static_cast<int>(kFourier);
    }

    static std::int64_t callsOfKernels(int kind) {
        const auto call = static_cast<std::size_t>(kind == kDirect ? Call::Direct : Call::Tiled);
        return test::deviceDouble().calls[call];
    }
};

const flcc::test::TestClass<AgainTest> kTests;
#include "again_test.moc"
