#include <QtTest>

#include <cmath>
#include <string>
#include <vector>

#include "engine/cuda/map_run.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/support/comparison.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
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

/// A device with room for one tile at a time, so that tiles are parts.
void smallDevice(std::int32_t copyEngines) {
    DeviceDouble& device = test::deviceDouble();
    device.reset();
    device.about.memoryBytes = 1 << 18;
    device.about.copyEngines = copyEngines;
}

test::OnDouble methodOf(bool tiled) {
    return test::OnDouble(tiled ? cuda::tiledMethod : cuda::directMethod);
}

} // namespace

/// Several parts of a map under way at once, on a device that is stood in for.
class StreamsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

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
            // Load, multiply and score of a tile; of what the template needs no more than that.
            QCOMPARE(test::deviceDouble().mostWaiting, (tiled ? 3 : 1) * inFlight);
        }
        QCOMPARE(test::deviceDouble().loose, std::int64_t{1}); // the template alone
    }

    // METHODS 5: never below what a run takes, and at most a tenth above.
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
        const auto holds = [](std::int64_t told, std::int64_t most) {
            return told >= most && static_cast<double>(told) <= 1.1 * static_cast<double>(most);
        };
        QVERIFY2(holds(predicted.deviceBytes, device.mostBytes),
                 qPrintable(
                     QStringLiteral("%1 for %2").arg(predicted.deviceBytes).arg(device.mostBytes)));
        const std::int64_t beside =
            method::mapBytes(work.problem()) + base::byteCount(work.problem().templ, 12);
        QVERIFY2(holds(predicted.hostBytes, beside + device.mostPinned),
                 qPrintable(QStringLiteral("%1 for %2")
                                .arg(predicted.hostBytes)
                                .arg(beside + device.mostPinned)));
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
            QVERIFY(run.outcome.times.has_value());
            const method::DeviceTimes& times = *run.outcome.times;
            for (const double ms : {times.setup, times.packing, times.upload, times.compute,
                                    times.download, times.joining}) {
                QVERIFY(ms > 0);
            }
            QVERIFY(times.compute > times.upload); // which copies, and no more
        }
    }

    void partsInFlightHideAllButTheLongestTime() {
        const method::DeviceTimes times{
            .setup = 5, .packing = 1, .upload = 8, .compute = 20, .download = 12, .joining = 3};
        QCOMPARE(cuda::overlappedMs(times, 4, 1), 5.0 + 1 + 8 + 20 + 12 + 3);
        QCOMPARE(cuda::overlappedMs(times, 4, 3), 5.0 + 20 + (1 + 8 + 12 + 3) / 4.0);
        QCOMPARE(cuda::overlappedMs(times, 1, 3), cuda::overlappedMs(times, 1, 1));
        QCOMPARE(times.oneAfterTheOther(), 5.0 + 8 + 20 + 12 + 3); // Karas (33)
        method::DeviceTimes two = times;
        two.devices = 2;
        two.packing = 7;
        QCOMPARE(two.oneAfterTheOther(), 7.0 + 8 + 10 + 12 + 3);
        QVERIFY(cuda::overlappedMs(times, 1e9, 3) <= times.oneAfterTheOther());
    }
};

QTEST_APPLESS_MAIN(StreamsTest)
#include "streams_test.moc"
