#include <QtTest>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "tests/engine/cuda/reduced_bank.h"
#include "tests/engine/cuda/uneven_bank.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;
using test::Bank;
using test::Call;
using test::calls;
using test::kDirect;
using test::kFourier;
using test::kTiled;
using test::makerOf;
using test::Merged;
using test::Ready;
using test::smallDevice;
using test::tileOf;
using test::uneven;
using test::Whole;

namespace {

double stageOf(const method::Outcome& outcome, const std::string& name) {
    for (const auto& [stage, ms] : outcome.stagesMs) {
        if (stage == name) {
            return ms;
        }
    }
    return 0;
}

} // namespace

/// LOWCONF voxels of a device, which is stood in for: the host replaces them by canonical values.
class RepairTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void whateverBreaksThePromiseIsRepaired_data() { everyKind(); }

    void whateverBreaksThePromiseIsRepaired() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        const base::AnyView scene = base::viewOf(bank.scene);
        const base::AnyView templ = base::viewOf(bank.templs.front());
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        test::Way way = own.way(scene, templ, tileOf(kind));
        QCOMPARE(test::judge(way, scene, templ, test::judged(scene, templ)), std::string());
        const Call kernels = kind == kDirect ? Call::Direct : Call::Tiled;
        const std::int64_t before = calls(kernels);
        const test::MethodRun repaired = test::runMethod(way, scene, templ);
        const std::int64_t each = calls(kernels) - before;
        QCOMPARE(test::runFault(repaired), std::string());
        QVERIFY(stageOf(repaired.outcome, "recomputation") > 0);
        way.recompute = false;
        const test::MethodRun kept = test::runMethod(way, scene, templ);
        QCOMPARE(calls(kernels) - before, 2 * each); // the device computes every part once
        const method::MapFacts& facts = repaired.outcome.facts;
        const auto low = static_cast<std::size_t>(Status::LowConf);
        QVERIFY(10 * kept.outcome.facts.statusCounts[low] > kept.map.value.count());
        QCOMPARE(facts.recomputed, kept.outcome.facts.statusCounts[low]);
        QCOMPARE(facts.statusCounts[low], std::int64_t{0});
        QCOMPARE(facts.largestLowConf, 0.0);
        QVERIFY(facts.largestBound <= way.promise);
        for (std::int64_t i = 0; i < kept.map.value.count(); ++i) {
            if (kept.map.status.data()[i] != Status::LowConf) {
                QCOMPARE(repaired.map.value.data()[i], kept.map.value.data()[i]);
                QCOMPARE(repaired.map.status.data()[i], kept.map.status.data()[i]);
            }
        }
    }

    // Blocks with more LOWCONF scores than their lists hold, and blocks with few.
    void aBankHasTheScoresOfItsTemplates_data() { everyKind(); }

    void aBankHasTheScoresOfItsTemplates() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        const Merged expected(own, bank, tileOf(kind));
        Ready ready(*own.method, bank.problem(), bank, tileOf(kind));
        test::deviceDouble().mostBytes = 0;
        const Whole whole(ready);
        QCOMPARE(otherThan(expected, whole), std::string());
        QVERIFY(kind == kFourier || whole.regions.size() >= 4);
        QVERIFY(whole.outcome.facts.recomputed > 0);
        QCOMPARE(whole.outcome.onDevice.times->uploads, 1);
        QVERIFY(stageOf(whole.outcome, "recomputation") > 0);
        QVERIFY(ready.predicted().onDevice.bytes >= test::deviceDouble().mostBytes);
        if (!test::kSanitized || kind == kTiled) {
            QCOMPARE(test::reducedFault(*own.method, tileOf(kind), bank.problem(), bank,
                                        {.minScores = {0.6}}),
                     std::string());
        }
    }

    void aStopEndsTheRepairOfABlock_data() {
        QTest::addColumn<int>("templates");
        QTest::addColumn<bool>("map");
        for (const int templates : {1, 2}) {
            for (const bool map : {true, false}) {
                if (test::kSanitized && map != (templates == 1)) {
                    continue;
                }
                QTest::addRow("%d, %s", templates, map ? "map" : "reduced") << templates << map;
            }
        }
    }

    // The map is one block, all of it LOWCONF.
    void aStopEndsTheRepairOfABlock() {
        QFETCH(int, templates);
        QFETCH(bool, map);
        const Extents m{300, 300, 1};
        Bank bank{test::noise(PixelType::Float32, {m.x + 63, m.y + 15, 1}, 3), {}};
        for (int i = 0; i < templates; ++i) {
            bank.templs.push_back(
                test::noise(PixelType::Float32, m, 40 + static_cast<std::uint64_t>(i)));
        }
        method::Problem problem = bank.problem();
        problem.promise = 1e-7; // more than a float keeps, less than single precision does
        problem.onDevice.map = map;
        test::deviceDouble().resetFast();
        const test::OnDouble own(cuda::fourierMethod);
        Ready ready(*own.method, problem, bank, {});
        const auto run = [&](std::stop_token stop) {
            method::MatchMap found(method::mapExtents(problem));
            base::Image<std::int32_t> index(method::mapExtents(problem), -1);
            const method::Execution execution{ready.pool, std::move(stop), {}};
            method::Outcome outcome =
                map ? own.method->executeBank(problem, ready.candidate, ready.prepared, ready.scene,
                                              *ready.workspace, execution,
                                              {method::viewOf(found), index.view()})
                    : own.method->onDevice()->reduce(problem, ready.candidate, ready.prepared,
                                                     ready.scene, *ready.workspace, execution, {});
            for (std::int64_t i = 0; outcome.cancelled && map && i < index.count(); ++i) {
                if (found.status.data()[i] != Status::NotComputed || index.data()[i] != -1) {
                    outcome.onDevice.failures.emplace_back("something is left in the map");
                }
            }
            return outcome;
        };
        (void)run({}); // plans and spectra stay
        const auto began = std::chrono::steady_clock::now();
        const method::Outcome all = run({});
        const std::chrono::duration<double, std::milli> ms =
            std::chrono::steady_clock::now() - began;
        QCOMPARE(all.facts.recomputed, templates * base::voxelCount(method::mapExtents(problem)));
        const double repair = stageOf(all, "recomputation");
        bool ended = false;
        for (int turn = 0; turn < 5 && !ended; ++turn) { // other programs may take the processor
            std::stop_source stop;
            const std::chrono::duration<double, std::milli> left{(0.5 + 0.05 * turn) * repair /
                                                                 templates};
            const auto start = std::chrono::steady_clock::now();
            const std::jthread later([&] {
                std::this_thread::sleep_for(ms - left);
                stop.request_stop();
            });
            const method::Outcome some = run(stop.get_token());
            const std::chrono::duration<double, std::milli> took =
                std::chrono::steady_clock::now() - start;
            QVERIFY(some.onDevice.failures.empty());
            QVERIFY(some.cancelled == (some.facts.recomputed == 0));
            QVERIFY(!some.cancelled || some.onDevice.reduced == nullptr);
            ended = some.cancelled && took < ms - left / 2;
        }
        QVERIFY(ended);
    }

  private:
    static void everyKind() {
        QTest::addColumn<int>("kind");
        QTest::newRow("direct") << static_cast<int>(kDirect);
        QTest::newRow("tiled") << static_cast<int>(kTiled);
        QTest::newRow("fourier") << static_cast<int>(kFourier);
    }
};

const flcc::test::TestClass<RepairTest> kRepairTest;
#include "repair_test.moc"
