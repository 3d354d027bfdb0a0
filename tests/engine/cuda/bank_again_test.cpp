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

#include "tests/engine/cuda/uneven_bank.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;
using test::Bank;
using test::Call;
using test::calls;
using test::DeviceDouble;
using test::kDirect;
using test::kFourier;
using test::kTiled;
using test::makerOf;
using test::Merged;
using test::Order;
using test::otherThan;
using test::Ready;
using test::smallDevice;
using test::tileOf;
using test::uneven;
using test::Whole;

/// LOWCONF voxels of banks that a device computes again in double, on one that is stood in for.
class BankAgainTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void aBankHasTheScoresOfItsTemplates_data() { everyKind(); }

    void aBankHasTheScoresOfItsTemplates() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        const Merged expected(own, bank, tileOf(kind));
        const std::int64_t before = calls(Call::Merge);
        QCOMPARE(before, std::int64_t{0});
        Ready ready(*own.method, bank.problem(), bank, tileOf(kind));
        QCOMPARE(ready.predicted().times->uploads, 1);
        for (int turn = 0; turn < 2; ++turn) { // a workspace serves further scenes
            const Whole whole(ready);
            QCOMPARE(otherThan(expected, whole), std::string());
            QCOMPARE(whole.outcome.times->uploads, 1);
            QVERIFY(whole.outcome.facts.recomputed > 0);
            QCOMPARE(whole.outcome.facts.statusCounts[static_cast<std::size_t>(Status::LowConf)],
                     std::int64_t{0});
            const std::int64_t parts = std::ssize(whole.regions);
            QVERIFY(kind == kFourier || parts >= 4);
            QVERIFY(std::any_of(whole.outcome.stagesMs.begin(), whole.outcome.stagesMs.end(),
                                [](const auto& stage) {
                                    return stage.first == "recomputation" && stage.second > 0;
                                }));
        }
        QVERIFY(calls(Call::Merge) > before);
    }

    // A device whose scores are all off by as much: canonical values of the host are not.
    void hostsComputeFewPanels_data() { everyKind(); }

    void hostsComputeFewPanels() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        const auto byHost = [&](float gigahertz) {
            smallDevice(kind);
            test::deviceDouble().about.gigahertz = gigahertz;
            const test::OnDouble own(makerOf(kind));
            Ready ready(*own.method, bank.problem(), bank, tileOf(kind));
            const Whole right(ready);
            test::deviceDouble().wrong = 0.5F;
            const Whole off(ready);
            std::int64_t panels = 0;
            for (std::int64_t i = 0; i < off.map.value.count(); ++i) {
                const float by = off.map.value.data()[i] - right.map.value.data()[i];
                panels += off.map.status.data()[i] == Status::Ok && std::abs(by) < 0.01F ? 1 : 0;
            }
            return panels;
        };
        const std::int64_t all = byHost(1e-6F);
        const std::int64_t few = byHost(1);
        QVERIFY2(all > 1000 && 3 * few < all,
                 qPrintable(QStringLiteral("%1 of %2").arg(few).arg(all)));
    }

    void bitsDoNotDependOnWhatOverlapsOrShares_data() { everyKind(); }

    void bitsDoNotDependOnWhatOverlapsOrShares() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        smallDevice(kind, 0);
        const test::OnDouble plain(makerOf(kind));
        const Merged expected(plain, bank, tileOf(kind));
        for (const Order order : {Order::AtOnce, Order::Late, Order::Ahead}) {
            for (const std::int32_t devices : {1, 2}) {
                if (kind == kFourier && devices > 1) {
                    continue; // whose map has one part
                }
                smallDevice(kind, 2, devices);
                test::deviceDouble().order = order;
                std::array<std::atomic<std::int64_t>, 2> started{};
                test::deviceDouble().starting = [&](std::int32_t number) {
                    const bool first = ++started[static_cast<std::size_t>(number)] == 1;
                    // One device waits until the other has a part.
                    for (int i = 0; devices > 1 && first && i < 2000 &&
                                    started[static_cast<std::size_t>(1 - number)] == 0;
                         ++i) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    }
                };
                const auto own =
                    devices > 1 ? std::make_unique<test::OnDouble>(makerOf(kind), std::vector{0, 1})
                                : std::make_unique<test::OnDouble>(makerOf(kind));
                Ready ready(*own->method, bank.problem(), bank, tileOf(kind));
                const Whole whole(ready);
                test::deviceDouble().starting = {};
                QVERIFY(started[0] > 0 && (started[1] > 0) == (devices > 1));
                QCOMPARE(otherThan(expected, whole), std::string());
                QCOMPARE(whole.outcome.times->uploads, 1);
                QCOMPARE(test::deviceDouble().waiting, std::int64_t{0});
            }
        }
    }

    // Whose room is that of a run of one template, whatever parts the bank has.
    void tilesInDoubleAreThoseOfSingleRuns() {
        const Bank bank = uneven();
        const Extents tile{128, 100, 1};
        for (const std::int64_t memory : {3 << 20, 7 << 19, 1 << 22, 5 << 20, 3 << 21, 1 << 23}) {
            smallDevice(kTiled);
            test::deviceDouble().about.memoryBytes = memory;
            const test::OnDouble own(makerOf(kTiled));
            const Merged expected(own, bank, tile);
            QVERIFY(expected.facts.recomputed > 0);
            Ready ready(*own.method, bank.problem(), bank, tile);
            const Whole whole(ready);
            QCOMPARE(test::firstDifferentBit(whole.map, expected.map), std::string());
            QCOMPARE(whole.outcome.facts.recomputed, expected.facts.recomputed);
        }
    }

    // With so little room that each template brings the scene.
    void templatesOneAfterTheOtherAreDoneAgain_data() { everyKind(); }

    void templatesOneAfterTheOtherAreDoneAgain() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        smallDevice(kind);
        const test::OnDouble roomy(makerOf(kind));
        Ready all(*roomy.method, bank.problem(), bank, tileOf(kind));
        std::int64_t bytes = all.predicted().deviceBytes;
        int uploads = 1;
        while (uploads == 1) { // parts get smaller with the memory
            bytes = bytes * 9 / 10;
            test::deviceDouble().about.memoryBytes = bytes;
            const test::OnDouble own(makerOf(kind));
            uploads =
                Ready(*own.method, bank.problem(), bank, tileOf(kind)).predicted().times->uploads;
        }
        const test::OnDouble tight(makerOf(kind));
        const Merged expected(tight, bank, tileOf(kind));
        QVERIFY(expected.facts.recomputed > 0);
        Ready little(*tight.method, bank.problem(), bank, tileOf(kind));
        const std::int64_t told = little.predicted().deviceBytes;
        test::deviceDouble().mostBytes = 0;
        const Whole whole(little);
        QVERIFY(told >= test::deviceDouble().mostBytes);
        QCOMPARE(whole.outcome.times->uploads, 3);
        QCOMPARE(calls(Call::Merge), std::int64_t{0});
        QCOMPARE(test::firstDifferentBit(whole.map, expected.map), std::string());
        QCOMPARE(whole.outcome.facts.recomputed, expected.facts.recomputed);
        // Canonical values of the host, which are not off, are few.
        test::deviceDouble().wrong = 0.5F;
        const Whole off(little);
        std::int64_t right = 0;
        for (std::int64_t i = 0; i < off.map.value.count(); ++i) {
            const float by = off.map.value.data()[i] - whole.map.value.data()[i];
            right += off.map.status.data()[i] == Status::Ok && std::abs(by) < 0.01F ? 1 : 0;
        }
        QVERIFY(3 * right < expected.facts.recomputed);
    }

    void aMapThatStaysHasTheSameScores_data() { everyKind(); }

    void aMapThatStaysHasTheSameScores() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        method::Problem problem = bank.problem();
        problem.map = false;
        Ready ready(*own.method, problem, bank, tileOf(kind));
        const Whole whole(ready);
        const std::vector<base::Index> asked = test::someVoxels(whole.map.value.extents());
        for (int turn = 0; turn < 2; ++turn) {
            const method::Outcome outcome = reduced(ready, {0.5, false, asked});
            QVERIFY(test::same(outcome.facts, whole.outcome.facts));
            method::ScoreTally tally;
            method::addRow(whole.map.value.data(), whole.map.status.data(), whole.map.value.count(),
                           tally);
            QVERIFY(test::same(match::statisticsOf(outcome.reduced->tally()),
                               match::statisticsOf(tally)));
            for (const base::Index& at : asked) {
                const auto voxel = outcome.reduced->asked(at);
                QVERIFY(voxel.known);
                QCOMPARE(voxel.status, whole.map.status.view().at(at));
                QCOMPARE(voxel.templ, whole.index.view().at(at));
                QCOMPARE(voxel.value, static_cast<double>(whole.map.value.view().at(at)));
            }
            std::int64_t held = 0; // of parts that were done template by template
            for (const method::ReducedMap::Part& part : outcome.reduced->parts()) {
                held += part.whole ? 1 : 0;
                for (std::int64_t i = 0; i < part.value.count(); ++i) {
                    const base::Index at{part.box.corner.x + i % part.box.extents.x,
                                         part.box.corner.y + i / part.box.extents.x, 0};
                    QCOMPARE(part.value.data()[i], whole.map.value.view().at(at));
                    QCOMPARE(part.index.data()[i], whole.index.view().at(at));
                }
            }
            QVERIFY(held > 0);
        }
    }

    // The first and the last one, which are done one after the other, under one support; on a fast
    // device and on one so slow that canonical values cost less.
    void templatesUnderMasksAreDoneAgain() {
        Bank bank = uneven();
        const Extents m = base::extentsOf(bank.templs.front());
        bank.masks.push_back(test::disc(m));
        bank.masks.push_back(test::lShape(m));
        bank.masks.push_back(test::disc(m));
        for (const bool fast : {true, false}) {
            smallDevice(kDirect);
            test::deviceDouble().about.gigahertz = fast ? 1 : 1e-6F;
            const test::OnDouble own(makerOf(kDirect));
            const Merged expected(own, bank, tileOf(kDirect));
            Ready ready(*own.method, bank.problem(), bank, tileOf(kDirect));
            const std::int64_t before = calls(Call::Direct);
            const Whole whole(ready);
            QCOMPARE(otherThan(expected, whole), std::string());
            QVERIFY(whole.outcome.facts.recomputed > 0);
            const auto parts = std::ssize(whole.regions);
            QVERIFY(!fast || calls(Call::Direct) - before > 3 * parts);
        }
    }

    // Every panel of the first one sees a bright row, where nothing breaks the promise.
    void oneTemplateThatBreaksThePromiseIsEnough() {
        test::Random random(4);
        Bank bank{test::makeScene(PixelType::Float32, {200, 120, 1},
                                  [&](const base::Index& at) {
                                      return random.uniform() + (at.y % 36 == 0 ? 4e5 : 0.0);
                                  }),
                  {}};
        const Extents m{40, 36, 1};
        bank.templs.push_back(test::crop(bank.scene, {{20, 30, 0}, m}));
        bank.templs.push_back(test::crop(bank.scene, {{90, 40, 0}, m}));
        bank.masks.push_back(
            test::maskOf(m, [](const base::Index& at) { return at.x + at.y > 0; }));
        bank.masks.push_back(
            test::maskOf(m, [](const base::Index& at) { return at.y > 9 && at.y < 14; }));
        smallDevice(kDirect);
        const test::OnDouble own(makerOf(kDirect));
        const Merged expected(own, bank, tileOf(kDirect));
        QVERIFY(expected.facts.recomputed > 0);
        Ready ready(*own.method, bank.problem(), bank, tileOf(kDirect));
        const std::int64_t before = calls(Call::Direct);
        const Whole whole(ready);
        QCOMPARE(otherThan(expected, whole), std::string());
        QVERIFY(calls(Call::Direct) - before > 4 * std::ssize(whole.regions));
        {
            // As the first one it leaves nothing that was made for one template.
            std::swap(bank.templs[0], bank.templs[1]);
            std::swap(bank.masks[0], bank.masks[1]);
            Ready first(*own.method, bank.problem(), bank, tileOf(kDirect));
            QCOMPARE(Whole(first).outcome.facts.recomputed, expected.facts.recomputed);
            QCOMPARE(test::deviceDouble().pinnedBytes, std::int64_t{0});
            std::swap(bank.masks[0], bank.masks[1]);
        }
        bank.masks[1] = test::maskOf(m, [](const base::Index& at) { return at.y < 35; });
        Ready none(*own.method, bank.problem(), bank, tileOf(kDirect));
        QVERIFY(Whole(none).outcome.facts.recomputed * 20 < expected.facts.recomputed);
    }

    void aSceneThatStaysIsNotBroughtAgain_data() { everyKind(); }

    void aSceneThatStaysIsNotBroughtAgain() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        smallDevice(kind);
        test::deviceDouble().about.memoryBytes *= 2;
        const test::OnDouble own(makerOf(kind));
        Ready alone(*own.method, bank.problem(), bank, tileOf(kind));
        const Whole expected(alone);
        method::Problem problem = bank.problem();
        problem.runs = 2;
        Ready ready(*own.method, problem, bank, tileOf(kind));
        test::deviceDouble().mostBytes = 0;
        method::SceneHold hold;
        for (int turn = 0; turn < 2; ++turn) {
            method::MatchMap map(method::mapExtents(problem));
            base::Image<std::int32_t> index(method::mapExtents(problem), -1);
            const method::Outcome outcome = own.method->executeBank(
                problem, ready.candidate, ready.prepared, ready.scene, *ready.workspace,
                {ready.pool, {}, {}, &hold}, {method::viewOf(map), index.view()});
            QVERIFY(hold.scene != nullptr && !hold.refused);
            QCOMPARE(test::firstDifferentBit(map, expected.map), std::string());
            QCOMPARE(outcome.times->uploads, turn == 0 ? 1 : 0);
            QCOMPARE(outcome.facts.recomputed, expected.outcome.facts.recomputed);
        }
        QVERIFY(ready.predicted().deviceBytes >= test::deviceDouble().mostBytes);
    }

    void theMemoryIsPredicted_data() { everyKind(); }

    void theMemoryIsPredicted() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        for (const bool map : {true, false}) {
            smallDevice(kind);
            const test::OnDouble own(makerOf(kind));
            method::Problem problem = bank.problem();
            problem.map = map;
            Ready ready(*own.method, problem, bank, tileOf(kind));
            const auto told = ready.predicted();
            for (int turn = 0; turn < 2; ++turn) { // a workspace serves further scenes
                const auto outcome = map ? Whole(ready).outcome : reduced(ready, {});
                QVERIFY(outcome.facts.recomputed > 0);
            }
            const DeviceDouble& device = test::deviceDouble();
            QVERIFY2(told.deviceBytes >= device.mostBytes,
                     qPrintable(
                         QStringLiteral("%1 for %2").arg(told.deviceBytes).arg(device.mostBytes)));
            // Beside the best map the scores of one template.
            const std::int64_t beside = method::mapBytes(problem) +
                                        base::byteCount(method::mapExtents(problem), 5) +
                                        3 * base::byteCount(problem.templ, 12);
            QVERIFY(told.hostBytes >= beside + device.mostPinned);
            problem.recompute = false;
            QVERIFY(std::get<method::Prediction>(
                        own.method->predict(problem, ready.candidate, {2}, {}, nullptr))
                        .hostBytes < told.hostBytes);
        }
    }

    void aStopLeavesNothingHalfDone_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("map");
        for (const int kind : {kDirect, kTiled}) {
            QTest::addRow("%d", kind) << kind << true;
            QTest::addRow("%d, reduced", kind) << kind << false;
        }
    }

    // When the first part is told, and while templates are done one after the other.
    void aStopLeavesNothingHalfDone() {
        QFETCH(int, kind);
        QFETCH(bool, map);
        const Bank bank = uneven();
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        method::Problem problem = bank.problem();
        problem.map = map;
        Ready ready(*own.method, problem, bank, tileOf(kind));
        const Whole full(ready);
        std::int64_t stopped = 0;
        for (const std::int64_t kernels : {1, 20, 40, 60}) {
            std::stop_source stop;
            std::int64_t started = 0;
            test::deviceDouble().starting = [&](std::int32_t) {
                if (++started == kernels) {
                    stop.request_stop();
                }
            };
            method::MatchMap found(method::mapExtents(problem));
            base::Image<std::int32_t> index(method::mapExtents(problem), -1);
            std::vector<base::Box> finished;
            const method::Execution execution{
                ready.pool, stop.get_token(),
                [&](const base::Box& box) { finished.push_back(box); }};
            const method::Outcome outcome =
                map ? own.method->executeBank(problem, ready.candidate, ready.prepared, ready.scene,
                                              *ready.workspace, execution,
                                              {method::viewOf(found), index.view()})
                    : own.method->reduce(problem, ready.candidate, ready.prepared, ready.scene,
                                         *ready.workspace, execution, {});
            test::deviceDouble().starting = {};
            QCOMPARE(outcome.cancelled, finished.size() < full.regions.size());
            QCOMPARE(outcome.reduced == nullptr, map || outcome.cancelled);
            stopped += outcome.cancelled ? 1 : 0;
            for (std::int64_t i = 0; map && i < index.count(); ++i) {
                const base::Index at{i % index.extents().x, i / index.extents().x, 0};
                const bool done =
                    std::any_of(finished.begin(), finished.end(), [&](const auto& box) {
                        return base::contains(
                            box.extents,
                            {{at.x - box.corner.x, at.y - box.corner.y, 0}, {1, 1, 1}});
                    });
                QCOMPARE(found.value.data()[i], done ? full.map.value.data()[i] : 0.0F);
                QCOMPARE(found.status.data()[i],
                         done ? full.map.status.data()[i] : Status::NotComputed);
                QCOMPARE(index.data()[i], done ? full.index.data()[i] : -1);
            }
        }
        QVERIFY(stopped >= 2);
    }

    void whatFailsIsTold_data() {
        QTest::addColumn<int>("call");
        for (const Call call :
             {Call::Allocate, Call::Pin, Call::Upload, Call::Download, Call::Direct, Call::Merge}) {
            QTest::addRow("call %d", static_cast<int>(call)) << static_cast<int>(call);
        }
    }

    void whatFailsIsTold() {
        QFETCH(int, call);
        const Bank bank = uneven();
        smallDevice(kDirect, 0);
        const Merged expected(test::OnDouble(makerOf(kDirect)), bank, tileOf(kDirect));
        const test::CallFailures found = test::failEach(
            static_cast<Call>(call), [&] { smallDevice(kDirect, 0); },
            [&] {
                const test::OnDouble own(makerOf(kDirect));
                Ready ready(*own.method, bank.problem(), bank, {256, 64, 1});
                const Whole whole(ready);
                return otherThan(expected, whole);
            });
        QCOMPARE(found.fault, std::string());
        QVERIFY(found.errors > 1);
    }

    void aDeviceThatFailsLeavesItsShareToTheOther() {
        const Bank bank = uneven();
        smallDevice(kDirect);
        const Merged expected(test::OnDouble(makerOf(kDirect)), bank, tileOf(kDirect));
        bool failed = false;
        // A thread that wakes late leaves its device nothing to fail at.
        for (std::int64_t turn = 2; turn < (failed ? 200 : 600); turn += 13) {
            smallDevice(kDirect, 2, 2);
            DeviceDouble& device = test::deviceDouble();
            device.failing = 1;
            device.call = Call::Download;
            device.turn = turn % 200;
            device.result = DeviceDouble::kInvalidValue;
            const test::OnDouble own(makerOf(kDirect), {0, 1});
            Ready ready(*own.method, bank.problem(), bank, tileOf(kDirect));
            const Whole whole(ready);
            QCOMPARE(otherThan(expected, whole), std::string());
            if (!whole.outcome.failures.empty()) { // it is not tried again
                const auto& own1 = device.callsOf[1];
                QCOMPARE(own1[static_cast<std::size_t>(Call::Download)], device.turn);
            }
            failed = failed || !whole.outcome.failures.empty();
        }
        QVERIFY(failed);
    }

  private:
    static void everyKind() {
        QTest::addColumn<int>("kind");
        QTest::newRow("direct") << static_cast<int>(kDirect);
        QTest::newRow("tiled") << static_cast<int>(kTiled);
        QTest::newRow("fourier") << static_cast<int>(kFourier);
    }
};

const flcc::test::TestClass<BankAgainTest> kTests;
#include "bank_again_test.moc"
