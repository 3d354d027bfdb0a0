#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "engine/base/error.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/text.h"
#include "ui/window/application.h"
#include "ui/work/run_controller.h"

using namespace flcc;
using ui::RunController;

namespace {

/// The longest that a person waits for an end.
constexpr int kCancelMs = 1000;

/// A job whose run takes seconds: plain sums, one thread.
job::Job longJob() {
    job::Job job;
    job.crops = {base::Box{{10, 20, 0}, {61, 61, 1}}};
    job.method = "direct";
    job.threads = 1;
    job.planning = plan::Planning::Estimate;
    return job;
}

} // namespace

class RunControllerTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void workRunsInOrderAndItsEndComesOnTheGuiThread();
    void aThrownErrorIsReportedAsItsSentenceAndTheNextWorkRuns();
    void aFailedAllocationIsReportedAndTheNextWorkRuns();
    void anEventWithoutMemoryIsAMessage();
    void backgroundWorkGivesWay();
    void cancelEndsEveryPhaseWithinASecond_data();
    void cancelEndsEveryPhaseWithinASecond();
    void regionsComeAtMostTwentyTimesASecondAndCoverTheMap();
    void regionsOfAMapThatWasGivenUpAreNotReportedOfTheNext();
    void theEndOfTheControllerEndsItsWork();
};

void RunControllerTest::workRunsInOrderAndItsEndComesOnTheGuiThread() {
    RunController controller;
    QList<int> order;
    for (int i = 0; i < 3; ++i) {
        controller.start(RunController::Task::Load, QStringLiteral("load"),
                         [&order, i](std::stop_token, job::JobSink*) -> RunController::Done {
                             const auto worker = std::this_thread::get_id();
                             return [&order, i, worker] {
                                 QVERIFY(std::this_thread::get_id() != worker);
                                 order << i;
                             };
                         });
    }
    QVERIFY(controller.isWorking());
    QTRY_COMPARE(order, QList<int>({0, 1, 2}));
    QTRY_VERIFY(!controller.isBusy());
}

void RunControllerTest::aThrownErrorIsReportedAsItsSentenceAndTheNextWorkRuns() {
    RunController controller;
    const QSignalSpy failed(&controller, &RunController::failed);
    const QSignalSpy finished(&controller, &RunController::finished);
    controller.start(RunController::Task::Run, QStringLiteral("run"),
                     [](std::stop_token, job::JobSink*) -> RunController::Done {
                         throw base::Error(base::ErrorCode::Problem, "the template is flat");
                     });
    bool done = false;
    controller.start(RunController::Task::Run, QStringLiteral("run"),
                     [&done](std::stop_token, job::JobSink*) -> RunController::Done {
                         return [&done] { done = true; };
                     });
    QTRY_VERIFY(done);
    QCOMPARE(failed.count(), 1);
    QCOMPARE(failed.first().at(1).toString(), QStringLiteral("the template is flat"));
    QTRY_COMPARE(finished.count(), 2);
}

void RunControllerTest::aFailedAllocationIsReportedAndTheNextWorkRuns() {
    RunController controller;
    const QSignalSpy failed(&controller, &RunController::failed);
    controller.start(
        RunController::Task::Run, QStringLiteral("run"),
        [](std::stop_token, job::JobSink*) -> RunController::Done { throw std::bad_alloc(); });
    controller.start(RunController::Task::Run, QStringLiteral("run"),
                     [](std::stop_token, job::JobSink*) -> RunController::Done {
                         return [] { throw std::bad_alloc(); };
                     });
    bool done = false;
    controller.start(RunController::Task::Run, QStringLiteral("run"),
                     [&done](std::stop_token, job::JobSink*) -> RunController::Done {
                         return [&done] { done = true; };
                     });
    QTRY_VERIFY(done);
    QCOMPARE(failed.count(), 2);
    for (const QList<QVariant>& each : failed) {
        QCOMPARE(each.at(1).toString(), ui::noMemoryText());
    }
}

void RunControllerTest::anEventWithoutMemoryIsAMessage() {
    class Greedy : public QObject {
      public:
        bool event(QEvent* event) override {
            if (event->type() == QEvent::User) {
                throw std::bad_alloc();
            }
            return QObject::event(event);
        }
    };
    const auto* application = qobject_cast<const ui::Application*>(QCoreApplication::instance());
    QVERIFY(application != nullptr);
    const QSignalSpy failed(application, &ui::Application::memoryFailed);
    Greedy greedy;
    QCoreApplication::postEvent(&greedy, new QEvent(QEvent::User));
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(failed.first().at(0).toString(), ui::noMemoryText());
}

void RunControllerTest::backgroundWorkGivesWay() {
    RunController controller;
    std::atomic<bool> planning = false;
    bool planned = false;
    bool dropped = true;
    bool loaded = false;
    controller.start(RunController::Task::Plan, {},
                     [&](std::stop_token stop, job::JobSink*) -> RunController::Done {
                         planning = true;
                         while (!stop.stop_requested()) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                         }
                         return [&planned] { planned = true; };
                     });
    QTRY_VERIFY(planning);
    QVERIFY(!controller.isWorking());
    controller.start(RunController::Task::Plan, {},
                     [&](std::stop_token, job::JobSink*) -> RunController::Done {
                         return [&dropped] { dropped = false; };
                     });
    controller.start(RunController::Task::Load, {},
                     [&](std::stop_token, job::JobSink*) -> RunController::Done {
                         return [&loaded] { loaded = true; };
                     });
    QVERIFY(controller.isWorking());
    QTRY_VERIFY(loaded);
    QVERIFY(planned);
    QVERIFY(dropped);
}

void RunControllerTest::cancelEndsEveryPhaseWithinASecond_data() {
    QTest::addColumn<int>("phase");
    for (const job::Phase phase : {job::Phase::Read, job::Phase::Plan, job::Phase::Run,
                                   job::Phase::Peaks, job::Phase::Write}) {
        QTest::newRow(std::string(job::name(phase)).c_str()) << static_cast<int>(phase);
    }
}

void RunControllerTest::cancelEndsEveryPhaseWithinASecond() {
    QFETCH(const int, phase);
    const bool runsLong = phase == static_cast<int>(job::Phase::Run);
    // The run is long in its own case only, so that the later phases are reached soon.
    const ui::SceneEntry scene =
        test::noiseScene(runsLong ? base::Extents{3000, 3000, 1} : base::Extents{900, 900, 1}, 7);
    const QTemporaryDir folder;
    job::Job job = longJob();
    job.planning = plan::Planning::Measure;
    if (!runsLong) {
        job.method = "auto";
        job.threads = 0;
    }
    job.minScore = -1;
    job.maxPeaks = 100'000;
    job.map = folder.filePath(QStringLiteral("map.mha")).toStdString();
    RunController controller;
    const QString name =
        QString::fromStdString(std::string(job::name(static_cast<job::Phase>(phase))));
    QElapsedTimer since;
    connect(&controller, &RunController::phaseChanged, &controller, [&](const QString& now) {
        if (now == name) {
            since.start();
            controller.cancel();
        }
    });
    bool cancelled = false;
    qint64 waited = -1;
    controller.start(RunController::Task::Run, QStringLiteral("run"),
                     [&](std::stop_token stop, job::JobSink* sink) -> RunController::Done {
                         const job::JobResult result = job::runJob(job, {scene.image}, stop, sink);
                         return [&, was = result.cancelled] { cancelled = was; };
                     });
    connect(&controller, &RunController::finished, &controller,
            [&] { waited = since.isValid() ? since.elapsed() : -1; });
    QTRY_VERIFY_WITH_TIMEOUT(!controller.isBusy(), 60'000);
    QVERIFY2(since.isValid(), "the phase was never told");
    QVERIFY2(waited < kCancelMs, qPrintable(QString::number(waited)));
    if (phase <= static_cast<int>(job::Phase::Run)) {
        QVERIFY(cancelled);
    }
    // A later phase may have ended before the cancel reached it; nothing is half-written then.
    QCOMPARE(QFile::exists(folder.filePath(QStringLiteral("map.mha"))), !cancelled);
}

void RunControllerTest::regionsComeAtMostTwentyTimesASecondAndCoverTheMap() {
    const ui::SceneEntry scene = test::noiseScene({700, 700, 1}, 3);
    RunController controller;
    std::int64_t covered = 0;
    int updates = 0;
    connect(&controller, &RunController::regionsFinished, &controller,
            [&](const std::vector<base::Box>& regions) {
                ++updates;
                for (const base::Box& region : regions) {
                    covered += base::voxelCount(region.extents);
                }
            });
    std::int64_t voxels = 0;
    QElapsedTimer time;
    time.start();
    controller.start(RunController::Task::Run, QStringLiteral("run"),
                     [&](std::stop_token stop, job::JobSink* sink) -> RunController::Done {
                         const job::JobResult result =
                             job::runJob(longJob(), {scene.image}, stop, sink);
                         return [&, count = result.map->value.count()] { voxels = count; };
                     });
    QTRY_VERIFY_WITH_TIMEOUT(voxels > 0, 60'000);
    QCOMPARE(covered, voxels);
    // One more for what came after the last tick.
    QVERIFY(updates <= time.elapsed() / 50 + 2);
}

void RunControllerTest::regionsOfAMapThatWasGivenUpAreNotReportedOfTheNext() {
    RunController controller;
    QStringList reported;
    connect(&controller, &RunController::mapStarted, this,
            [&](const std::shared_ptr<const method::MatchMap>& map) {
                reported << QString::number(map->value.extents().x);
            });
    connect(&controller, &RunController::regionsFinished, this,
            [&](const std::vector<base::Box>& regions) {
                for (const base::Box& region : regions) {
                    reported << QStringLiteral("region %1").arg(region.extents.x);
                }
            });
    std::atomic<bool> seen = false;
    controller.start(RunController::Task::Run, QStringLiteral("run"),
                     [&seen](std::stop_token, job::JobSink* sink) -> RunController::Done {
                         const auto start = [&](std::int64_t columns) {
                             sink->mapStarted(std::make_shared<const method::MatchMap>(
                                 base::Extents{columns, 1, 1}));
                             sink->regionFinished({{0, 0, 0}, {columns, 1, 1}});
                         };
                         start(3); // given up before anybody heard of it
                         start(5);
                         while (!seen) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                         }
                         sink->regionFinished({{1, 0, 0}, {4, 1, 1}});
                         start(7); // what was told late of the one before is not told at all
                         return {};
                     });
    QTRY_VERIFY(reported.contains(QStringLiteral("region 5")));
    seen = true;
    QTRY_VERIFY(!controller.isWorking());
    reported.removeAll(QStringLiteral("region 4")); // told in time or not at all
    QCOMPARE(reported, QStringList({"3", "5", "region 5", "7", "region 7"}));
}

void RunControllerTest::theEndOfTheControllerEndsItsWork() {
    const ui::SceneEntry scene = test::noiseScene({3000, 3000, 1}, 7);
    QElapsedTimer time;
    {
        RunController controller;
        bool mapStarted = false;
        connect(&controller, &RunController::mapStarted, &controller,
                [&mapStarted] { mapStarted = true; });
        controller.start(RunController::Task::Run, QStringLiteral("run"),
                         [&](std::stop_token stop, job::JobSink* sink) -> RunController::Done {
                             return [result = job::runJob(longJob(), {scene.image}, stop, sink)] {};
                         });
        QTRY_VERIFY_WITH_TIMEOUT(mapStarted, 60'000);
        time.start();
    }
    QVERIFY(time.elapsed() < kCancelMs);
}

const flcc::test::TestClass<RunControllerTest> kRunControllerTest;

#include "run_controller_test.moc"
