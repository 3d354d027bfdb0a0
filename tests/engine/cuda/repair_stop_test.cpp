#include <QtTest>

#include <chrono>
#include <stop_token>
#include <thread>

#include "tests/engine/cuda/reduced_bank.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;
using test::Bank;
using test::Ready;

namespace {

double timeOfStage(const method::Outcome& outcome, const std::string& name) {
    for (const auto& [stage, ms] : outcome.stagesMs) {
        if (stage == name) {
            return ms;
        }
    }
    return 0;
}

} // namespace

/// A stop while the host repairs LOWCONF voxels of a device, which is stood in for.
class RepairStopTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

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
        const double repair = timeOfStage(all, "recomputation");
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
};

const flcc::test::TestClass<RepairStopTest> kRepairStopTest;
#include "repair_stop_test.moc"
