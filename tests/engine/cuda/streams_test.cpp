#include <QtTest>

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/cuda/run/map_run.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/support/comparison.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using test::Call;
using test::DeviceDouble;
using test::Order;

namespace {

/// A scene that is done in nine parts or more, by either kind of method.
struct Work {
    base::AnyImage scene = test::texture(PixelType::UInt16, {190, 95, 1}, 5);
    base::AnyImage templ = test::noise(PixelType::UInt16, {5, 4, 1}, 6);

    [[nodiscard]] method::Problem problem() const {
        return test::problemOf(base::viewOf(scene), base::viewOf(templ));
    }
    [[nodiscard]] test::Way way(const test::OnDouble& own, bool tiled) const {
        return own.way(scene, templ, tiled ? Extents{64, 35, 1} : Extents{64, 32, 1});
    }
    [[nodiscard]] test::MethodRun run(const test::Way& way,
                                      const test::RunOptions& options = {}) const {
        return test::runMethod(way, base::viewOf(scene), base::viewOf(templ), options);
    }
};

/// Devices with room for one tile at a time, so that tiles are parts.
void smallDevice(std::int32_t copyEngines, std::int32_t devices = 1) {
    DeviceDouble& device = test::deviceDouble();
    device.reset();
    device.start.devices = devices;
    device.about.memoryBytes = 1 << 18;
    device.about.copyEngines = copyEngines;
}

cuda::MakeMethod makerOf(bool tiled) { return tiled ? cuda::tiledMethod : cuda::directMethod; }
test::OnDouble methodOf(bool tiled) { return test::OnDouble(makerOf(tiled)); }

/// Keeps each of two devices from starting the kernels of a part until the other one has one too.
class Meeting {
  public:
    Meeting() {
        test::deviceDouble().starting = [this](std::int32_t device) {
            std::unique_lock lock(m_lock);
            m_came.at(static_cast<std::size_t>(device)) = true;
            m_changed.notify_all();
            m_changed.wait(lock, [this] { return m_came[0] && m_came[1]; });
        };
    }
    ~Meeting() { test::deviceDouble().starting = nullptr; }
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

  private:
    std::mutex m_lock;
    std::condition_variable m_changed;
    std::array<bool, 2> m_came{};
};

/// What a run took of the devices was given back.
bool nothingLeft() {
    const DeviceDouble& device = test::deviceDouble();
    return device.waiting == 0 && device.events == 0 && device.streams == 0 &&
           device.memoryBlocks == 0 && device.pinnedBlocks == 0 && device.transforms == 0;
}

} // namespace

/// Several parts of a map under way at once, on a device that is stood in for.
class StreamsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    // The first part comes back to the queue when a smaller one is under way.
    void whatPartsShareDoesNotGrowUnderThem() {
        const Work work;
        test::deviceDouble().reset();
        test::deviceDouble().order = Order::Late;
        cuda::Engine engine(&test::doubleTable());
        const auto direct = cuda::directMethod(engine, 0);
        method::Problem problem = work.problem();
        problem.templates = 2;
        const method::Candidate candidate = direct->candidates(problem, {2}, {160, 32, 1}).front();
        base::TilePool pool(1);
        const auto prepared = direct->prepare(problem, candidate, base::viewOf(work.templ), pool);
        const method::PreparedTemplates templates{prepared, prepared};
        const auto workspace = direct->makeWorkspace(problem, candidate);
        method::MatchMap map(method::mapExtents(problem));
        base::Image<std::int32_t> index(method::mapExtents(problem), -1);
        const method::Execution execution{pool, {}, {}};
        cuda::PartQueue parts(method::mapExtents(problem), candidate.tile, execution, 2);
        const std::optional<base::Box> first = parts.take(false);
        bool back = false;
        test::deviceDouble().starting = [&](std::int32_t) {
            if (!std::exchange(back, true)) {
                parts.giveBack(*first);
            }
        };
        const method::MaskedView scene = base::viewOf(work.scene);
        (void)direct->run(
            {problem, candidate, templates, scene, execution, {method::viewOf(map), index.view()}},
            *workspace, parts);
        test::deviceDouble().starting = {};
        QVERIFY(parts.isDone());
        QCOMPARE(test::deviceDouble().releasedBusy, std::int64_t{0});
    }

    void bitsDoNotDependOnWhatOverlaps_data() {
        QTest::addColumn<bool>("tiled");
        QTest::addColumn<int>("order");
        QTest::addColumn<int>("copyEngines");
        for (const bool tiled : {false, true}) {
            for (const Order order : {Order::AtOnce, Order::Late, Order::Ahead}) {
                for (const int engines : {0, 1, 2}) {
                    QTest::addRow("%s, order %d, %d engines", tiled ? "tiled" : "direct",
                                  static_cast<int>(order), engines)
                        << tiled << static_cast<int>(order) << engines;
                }
            }
        }
    }

    void bitsDoNotDependOnWhatOverlaps() {
        QFETCH(bool, tiled);
        QFETCH(int, order);
        QFETCH(int, copyEngines);
        const Work work;
        smallDevice(0);
        const test::OnDouble plain = methodOf(tiled);
        const test::MethodRun alone = work.run(work.way(plain, tiled));
        test::Way inDouble = work.way(plain, tiled);
        inDouble.precision = method::Precision::Double;
        const test::MethodRun aloneDouble = work.run(inDouble);
        smallDevice(copyEngines);
        test::deviceDouble().order = static_cast<Order>(order);
        const test::OnDouble own = methodOf(tiled);
        const test::MethodRun found = work.run(work.way(own, tiled));
        QVERIFY(found.regions.size() >= 9);
        QCOMPARE(test::runFault(found), std::string());
        QCOMPARE(test::firstDifferentBit(found.map, alone.map), std::string());
        QCOMPARE(found.outcome.facts.largestBound, alone.outcome.facts.largestBound);
        QVERIFY(found.outcome.facts.statusCounts == alone.outcome.facts.statusCounts);

        const std::int64_t inFlight = copyEngines > 0 ? cuda::kMostInFlight : 1;
        if (static_cast<Order>(order) == Order::Late) {
            // Load, sums, multiply and score of a tile; of what the template needs no more.
            QCOMPARE(test::deviceDouble().mostWaiting, (tiled ? 4 : 1) * inFlight);
        }
        QCOMPARE(test::deviceDouble().loose, std::int64_t{1}); // the template alone
        inDouble.method = own.method.get();
        QCOMPARE(test::firstDifferentBit(work.run(inDouble).map, aloneDouble.map), std::string());
    }

    // The predicted memory is never below what a run takes, and at most a tenth above it.
    void whatIsInFlightIsPredicted_data() {
        QTest::addColumn<bool>("tiled");
        QTest::addColumn<int>("copyEngines");
        for (const bool tiled : {false, true}) {
            for (const int engines : {0, 2}) {
                QTest::addRow("%s, %d engines", tiled ? "tiled" : "direct", engines)
                    << tiled << engines;
            }
        }
    }

    void whatIsInFlightIsPredicted() {
        QFETCH(bool, tiled);
        QFETCH(int, copyEngines);
        const Work work;
        smallDevice(copyEngines);
        const test::OnDouble own = methodOf(tiled);
        const test::Way way = work.way(own, tiled);
        const auto predicted = std::get<method::Prediction>(
            own.method->predict(work.problem(), way.candidate, {2}, {}, nullptr));
        QVERIFY(work.run(way).regions.size() >= 9);
        const DeviceDouble& device = test::deviceDouble();
        const auto holds = [](std::int64_t reported, std::int64_t most) {
            return reported >= most &&
                   static_cast<double>(reported) <= 1.1 * static_cast<double>(most);
        };
        QVERIFY2(
            holds(predicted.onDevice.bytes, device.mostBytes),
            qPrintable(
                QStringLiteral("%1 for %2").arg(predicted.onDevice.bytes).arg(device.mostBytes)));
        const std::int64_t beside =
            method::mapBytes(work.problem()) + base::byteCount(work.problem().templ, 12);
        QVERIFY2(holds(predicted.hostBytes, beside + device.mostPinned),
                 qPrintable(QStringLiteral("%1 for %2")
                                .arg(predicted.hostBytes)
                                .arg(beside + device.mostPinned)));
    }

    void fewerPartsAreUnderWayWhereMemoryIsTight_data() { eitherMethod(); }

    void fewerPartsAreUnderWayWhereMemoryIsTight() {
        QFETCH(bool, tiled);
        const Work work;
        smallDevice(2);
        const test::OnDouble own = methodOf(tiled);
        test::Way way = work.way(own, tiled);
        QCOMPARE(way.candidate.onDevice.inFlight, 0);
        const auto verdict = [&](std::int64_t bytes) {
            way.candidate =
                own.method->candidates(work.problem(), {2, bytes}, way.candidate.tile).front();
            return own.method->predict(work.problem(), way.candidate, {2, bytes}, {}, nullptr);
        };
        const test::MethodRun most = work.run(way);
        std::int64_t bytes = std::get<method::Prediction>(verdict(INT64_MAX)).hostBytes;
        std::int64_t pinned = test::deviceDouble().mostPinned;
        for (const int inFlight : {2, 1}) {
            const auto fits = std::get<method::Prediction>(verdict(bytes - 1));
            QCOMPARE(way.candidate.onDevice.inFlight, inFlight);
            QVERIFY(fits.hostBytes < bytes);
            test::deviceDouble().mostPinned = 0;
            const test::OnDouble other = methodOf(tiled);
            way.method = other.method.get();
            const test::MethodRun run = work.run(way);
            QCOMPARE(test::firstDifferentBit(run.map, most.map), std::string());
            QVERIFY(test::deviceDouble().mostPinned < pinned);
            bytes = fits.hostBytes;
            pinned = test::deviceDouble().mostPinned;
        }
        QVERIFY(std::holds_alternative<method::Refusal>(verdict(bytes - 1)));
    }

    void aStopDropsWhatIsInFlight() {
        const Work work;
        smallDevice(2);
        test::deviceDouble().order = Order::Late;
        const test::OnDouble own = methodOf(false);
        std::stop_source stop;
        test::RunOptions options;
        options.stop = stop.get_token();
        options.finished = [&](std::int64_t regions) {
            if (regions == 2) {
                stop.request_stop();
            }
        };
        const test::MethodRun run = work.run(work.way(own, false), options);
        QVERIFY(run.outcome.cancelled);
        QCOMPARE(run.regions.size(), std::size_t{2});
        QCOMPARE(test::runFault(run), std::string());
        QCOMPARE(test::deviceDouble().waiting, std::int64_t{0});
    }

    void aRunTellsItsTimesApart() {
        const Work work;
        for (const bool tiled : {false, true}) {
            smallDevice(2);
            const test::OnDouble own = methodOf(tiled);
            const test::MethodRun run = work.run(work.way(own, tiled));
            QVERIFY(run.outcome.onDevice.times.has_value());
            const method::DeviceTimes& times = *run.outcome.onDevice.times;
            for (const double ms : {times.setup, times.packing, times.upload, times.compute,
                                    times.download, times.joining}) {
                QVERIFY(ms > 0);
            }
            QVERIFY(times.compute > times.upload); // which copies, and no more
        }
    }

    void partsInFlightHideSomeOfTheirTimes() {
        const method::DeviceTimes times{
            .setup = 5, .packing = 1, .upload = 8, .compute = 20, .download = 12, .joining = 3};
        // Copies hide what the host does beside them.
        QCOMPARE(cuda::overlappedMs(times, 4, 1), 5.0 + 8 + 20 + 12);
        QCOMPARE(cuda::overlappedMs(times, 4, 3), 5.0 + 0.85 * (1 + 8 + 20 + 12 + 3));
        QCOMPARE(cuda::overlappedMs(times, 1, 3), cuda::overlappedMs(times, 1, 1));
        QCOMPARE(times.oneAfterTheOther(), 5.0 + 8 + 20 + 12 + 3); // Karas (33)
        method::DeviceTimes two = times;
        two.devices = 2;
        two.packing = 7;
        QCOMPARE(two.oneAfterTheOther(), 7.0 + 8 + 10 + 12 + 3);
        QVERIFY(cuda::overlappedMs(times, 1e9, 3) <= times.oneAfterTheOther());
    }

    // --- Several devices ---------------------------------------------------------------------

    void devicesShareThePartsOfAMap_data() { eitherMethod(); }

    void devicesShareThePartsOfAMap() {
        QFETCH(bool, tiled);
        const Work work;
        smallDevice(0);
        const test::OnDouble plain = methodOf(tiled);
        const test::MethodRun alone = work.run(work.way(plain, tiled));
        for (const Order order : {Order::AtOnce, Order::Late, Order::Ahead}) {
            smallDevice(2, 2);
            DeviceDouble& device = test::deviceDouble();
            device.order = order;
            const Meeting meeting; // without which one could do all of it
            const test::OnDouble own(makerOf(tiled), {0, 1});
            const test::Way way = work.way(own, tiled);
            QCOMPARE(way.candidate.device, std::string("cuda"));
            const test::MethodRun found = work.run(way);
            QCOMPARE(test::runFault(found), std::string());
            QCOMPARE(found.regions.size(), alone.regions.size());
            QCOMPARE(test::firstDifferentBit(found.map, alone.map), std::string());
            QCOMPARE(found.outcome.facts.boundMedian, alone.outcome.facts.boundMedian);
            QCOMPARE(found.outcome.onDevice.times->devices, 2);
            QVERIFY(found.outcome.onDevice.failures.empty());
            QVERIFY(nothingLeft());
        }
    }

    void aDeviceThatFailsGivesItsPartsToTheOther_data() {
        QTest::addColumn<bool>("tiled");
        QTest::addColumn<int>("call");
        QTest::addColumn<int>("result");
        for (const bool tiled : {false, true}) {
            for (const auto& [call, result] :
                 {std::pair{Call::OpenStream, DeviceDouble::kInvalidValue},
                  std::pair{Call::Allocate, cuda::kOutOfMemory},
                  std::pair{Call::Pin, cuda::kOutOfMemory},
                  std::pair{Call::Upload, DeviceDouble::kInvalidValue},
                  std::pair{Call::MakeEvent, DeviceDouble::kIllegalAddress},
                  std::pair{tiled ? Call::Tiled : Call::Direct, DeviceDouble::kIllegalAddress},
                  std::pair{Call::Await, DeviceDouble::kIllegalAddress},
                  std::pair{Call::Elapsed, DeviceDouble::kInvalidValue}}) {
                QTest::addRow("%s, call %d", tiled ? "tiled" : "direct", static_cast<int>(call))
                    << tiled << static_cast<int>(call) << result;
            }
        }
    }

    void aDeviceThatFailsGivesItsPartsToTheOther() {
        QFETCH(bool, tiled);
        QFETCH(int, call);
        QFETCH(int, result);
        const Work work;
        smallDevice(0);
        const test::OnDouble plain = methodOf(tiled);
        const test::MethodRun alone = work.run(work.way(plain, tiled));
        DeviceDouble& device = test::deviceDouble();
        // The first two steps are those of the template, before there is a part to wait for.
        const std::int64_t first = static_cast<Call>(call) == Call::Tiled ? 3 : 1;
        // Of what a part needs while it is under way, the first of its seven events, two of which
        // are for the copy of its voxels: it is made when a part is at hand, and the part must not
        // be lost with it.
        const bool event = static_cast<Call>(call) == Call::MakeEvent;
        const std::int64_t step = event ? 7 : 1;
        for (std::int64_t turn = first; turn < first + 3 * step; turn += step) {
            smallDevice(2, 2);
            device.order = Order::Late;
            device.failing = 1;
            device.call = static_cast<Call>(call);
            device.turn = turn;
            device.result = result;
            const bool early = device.call < Call::Direct ||
                               (event && turn == first); // perhaps before it has a part
            const auto meeting = early ? nullptr : std::make_unique<Meeting>();
            const test::OnDouble own(makerOf(tiled), {0, 1});
            const test::MethodRun found = work.run(work.way(own, tiled));
            QVERIFY(!found.outcome.cancelled);
            QCOMPARE(test::runFault(found), std::string());
            QCOMPARE(found.regions.size(), alone.regions.size());
            QCOMPARE(test::firstDifferentBit(found.map, alone.map), std::string());
            QVERIFY(found.outcome.facts.statusCounts == alone.outcome.facts.statusCounts);
            if (!found.outcome.onDevice.failures.empty()) {
                QCOMPARE(found.outcome.onDevice.failures.size(), std::size_t{1});
                QVERIFY(found.outcome.onDevice.failures.front().find("cuda:1") !=
                        std::string::npos);
            }
            // Memory for a part is asked for by a device that got one.
            QVERIFY(turn > first || device.call == Call::Pin ||
                    !found.outcome.onDevice.failures.empty());
            const bool lost = result == DeviceDouble::kIllegalAddress;
            QCOMPARE(own.engine.reasonAgainst(1).empty(),
                     !(lost && !found.outcome.onDevice.failures.empty()));
            QVERIFY(own.engine.reasonAgainst(0).empty());
            QVERIFY(own.engine.reason().empty());
        }
        QVERIFY(nothingLeft());
    }

    // The other device has done all the rest by then, and waits.
    void aPartGivenBackAtTheEndIsDone() {
        const Work work;
        smallDevice(0);
        const test::OnDouble plain = methodOf(false);
        const test::MethodRun alone = work.run(work.way(plain, false));
        smallDevice(2, 2);
        DeviceDouble& device = test::deviceDouble();
        device.failing = 1;
        device.call = Call::Direct;
        device.turn = 1;
        device.result = DeviceDouble::kInvalidValue;
        std::mutex lock;
        std::condition_variable changed;
        bool came = false;
        bool rest = false;
        device.starting = [&](std::int32_t number) {
            std::unique_lock guard(lock);
            came = came || number == 1;
            changed.notify_all();
            changed.wait(guard, [&] { return number == 1 ? rest : came; });
            if (number == 1) {
                QTest::qSleep(20); // in which somebody who does not wait would leave
            }
        };
        test::RunOptions options;
        options.finished = [&](std::int64_t regions) {
            const std::lock_guard guard(lock);
            rest = regions == std::ssize(alone.regions) - 1;
            changed.notify_all();
        };
        const test::OnDouble own(cuda::directMethod, {0, 1});
        const test::MethodRun found = work.run(work.way(own, false), options);
        device.starting = nullptr;
        QCOMPARE(found.outcome.onDevice.failures.size(), std::size_t{1});
        QCOMPARE(test::runFault(found), std::string());
        QCOMPARE(test::firstDifferentBit(found.map, alone.map), std::string());
    }

    void whenAllDevicesFailTheRunDoes() {
        const Work work;
        smallDevice(2, 2);
        DeviceDouble& device = test::deviceDouble();
        device.call = Call::Direct;
        device.turn = 3;
        device.turns = 1000;
        device.result = DeviceDouble::kIllegalAddress;
        const test::OnDouble own(cuda::directMethod, {0, 1});
        const test::Way way = work.way(own, false);
        try {
            (void)work.run(way);
            QFAIL("no device was left to finish the run");
        } catch (const base::Error& error) {
            QVERIFY(error.code() == base::ErrorCode::Device);
            const std::string sentence = error.what();
            QVERIFY2(sentence.find("cuda:0") != std::string::npos &&
                         sentence.find("cuda:1") != std::string::npos,
                     sentence.c_str());
        }
        QVERIFY(own.engine.reason().find("start the program again") != std::string::npos);
        QVERIFY(nothingLeft());
    }

    void aStopEndsTheShareOfEveryDevice() {
        const Work work;
        smallDevice(2, 2);
        test::deviceDouble().order = Order::Late;
        const test::OnDouble own(cuda::directMethod, {0, 1});
        std::stop_source stop;
        test::RunOptions options;
        options.stop = stop.get_token();
        options.finished = [&](std::int64_t regions) {
            if (regions == 2) {
                stop.request_stop();
            }
        };
        const test::MethodRun run = work.run(work.way(own, false), options);
        QVERIFY(run.outcome.cancelled);
        QVERIFY(run.regions.size() >= 2 && run.regions.size() <= 3); // the other one's, just then
        QCOMPARE(test::runFault(run), std::string());
        QVERIFY(nothingLeft());
    }

    void whatCannotBeSharedIsRefusedWithAReason() {
        smallDevice(2, 2);
        test::deviceDouble().about.memoryBytes = std::int64_t{8} << 30;
        const test::OnDouble own(cuda::directMethod, {0, 1});
        const Work work;
        const auto reasonOf = [&](const Extents& part) {
            const auto verdict =
                own.method->predict(work.problem(), {"direct", "cuda", part, 2}, {2}, {}, nullptr);
            const auto* refused = std::get_if<method::Refusal>(&verdict);
            return QString::fromStdString(refused == nullptr ? std::string() : refused->reason);
        };
        QVERIFY(reasonOf({186, 92, 1}).contains("1 part of the map, too few for 2 GPUs"));
        QCOMPARE(reasonOf({64, 32, 1}), QString());
        // By itself it cuts the map so that there is enough to share.
        const auto cut = own.method->candidates(work.problem(), {2}, {0, 0, 0}).front();
        QCOMPARE(reasonOf(cut.tile), QString());
        QVERIFY(cut.tile.y < 92);
        test::deviceDouble().call = Call::OpenStream;
        test::deviceDouble().failing = 1;
        test::deviceDouble().turn = 1;
        test::deviceDouble().result = DeviceDouble::kIllegalAddress;
        (void)work.run(work.way(own, false));
        QVERIFY(
            reasonOf({64, 32, 1}).contains("fewer than two GPUs can be used: cuda:1: it failed"));
    }

  private:
    static void eitherMethod() {
        QTest::addColumn<bool>("tiled");
        QTest::newRow("direct") << false;
        QTest::newRow("tiled") << true;
    }
};

const flcc::test::TestClass<StreamsTest> kStreamsTest;
#include "streams_test.moc"
