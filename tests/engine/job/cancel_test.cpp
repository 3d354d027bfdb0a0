#include <QtTest>

#include <chrono>
#include <stop_token>
#include <thread>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/kept_map.h"
#include "engine/job/listing.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using job::Job;
using job::Phase;
using Clock = std::chrono::steady_clock;

namespace {

/// Seconds in which a stop is answered.
constexpr double kLongest = test::kSanitized ? 8 : 1;

/// Asks for a stop once `phase` has come to `share`.
class Stopper : public job::JobSink {
  public:
    Stopper(Phase phase, double share) : m_phase(phase), m_share(share) {}

    std::stop_source source;
    Clock::time_point asked;
    std::vector<base::Box> regions;

    void phase(Phase phase) override { m_now = phase; }
    void progress(double share) override {
        if (m_now == m_phase && share >= m_share && !source.stop_requested()) {
            asked = Clock::now();
            source.request_stop();
        }
    }
    void regionFinished(const base::Box& box) override { regions.push_back(box); }

  private:
    Phase m_phase;
    double m_share;
    Phase m_now = Phase::Read;
};

job::JobImages images(const base::Extents& extents, const base::Extents& templ) {
    base::AnyImage scene = test::texture(PixelType::Float32, extents, 5);
    base::AnyImage cut = test::crop(scene, {{30, 20, 0}, templ});
    return test::imagesOf(std::move(scene), std::move(cut));
}

} // namespace

class JobCancelTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyPhaseEndsSoonAndWritesNothing_data();
    void everyPhaseEndsSoonAndWritesNothing();
    void theFinishedPartEqualsTheFullRun();
    void aMapThatWasFinishedGivesItsPeaks();
    void aStopBeforeTheStartIsAResult();
    void aPlanCanBeCancelled();
    void aStopThatComesTooLateFindsTheJobDone();
    void readingFilesEndsSoon();
    void outputsAppearAllOrNone();
    void statisticsEndAtOnce();
    void aSampleThatIsStoppedLeavesNoFolder();
    void stopsAtAnyMomentLeaveNothingBehind();
};

void JobCancelTest::everyPhaseEndsSoonAndWritesNothing_data() {
    QTest::addColumn<int>("phase");
    QTest::addColumn<double>("share");
    for (const Phase phase : {Phase::Read, Phase::Plan, Phase::Run, Phase::Peaks, Phase::Write}) {
        for (const double share : {0.0, 0.3}) {
            QTest::addRow("%s at %g", std::string(job::name(phase)).c_str(), share)
                << static_cast<int>(phase) << share;
        }
    }
}

void JobCancelTest::everyPhaseEndsSoonAndWritesNothing() {
    QFETCH(int, phase);
    QFETCH(double, share);
    const test::Folder folder;
    Job job = test::withOutputs({}, folder);
    job.minScore = -1;
    io::writeText(job.peaks, "old");
    Stopper stopper(static_cast<Phase>(phase), share);
    static const job::JobImages kImages = images({1100, 1000, 1}, {31, 33, 1});
    const job::JobResult result = job::runJob(job, kImages, stopper.source.get_token(), &stopper);
    const auto took = std::chrono::duration<double>(Clock::now() - stopper.asked).count();
    QVERIFY(result.cancelled);
    QVERIFY2(took < kLongest, qPrintable(QString::number(took)));
    QCOMPARE(folder.names(), std::vector<std::string>{"peaks.csv"});
    QCOMPARE(test::bytesOf(job.peaks), std::string("old"));
}

void JobCancelTest::theFinishedPartEqualsTheFullRun() {
    const job::JobImages both = images({900, 800, 1}, {15, 15, 1});
    Job job;
    job.method = "tiled";
    job.tile = {64, 64, 1};
    job.threads = 2;
    const job::JobResult full = job::runJob(job, both);
    Stopper stopper(Phase::Run, 0.4);
    const job::JobResult half = job::runJob(job, both, stopper.source.get_token(), &stopper);
    QVERIFY(half.cancelled);
    QVERIFY(!half.report.run);
    QVERIFY(half.peaks.empty());
    std::int64_t finished = 0;
    for (const base::Box& box : stopper.regions) {
        finished += base::voxelCount(box.extents);
        QCOMPARE(test::firstDifferentBit(*half.map, *full.map, box), std::string());
    }
    std::int64_t notComputed = 0;
    for (std::int64_t i = 0; i < half.map->status.count(); ++i) {
        notComputed += half.map->status.data()[i] == base::Status::NotComputed ? 1 : 0;
    }
    QVERIFY(finished > 0 && notComputed > 0);
    QCOMPARE(finished + notComputed, half.map->status.count());
}

/// Stopped while peaks are found: the map is there, and so are its peaks.
void JobCancelTest::aMapThatWasFinishedGivesItsPeaks() {
    const job::JobImages both = images({300, 260, 1}, {15, 15, 1});
    const job::JobResult full = job::runJob({}, both);
    QVERIFY(!full.peaks.empty());
    for (const double share : {0.0, 0.2}) {
        Stopper stopper(Phase::Peaks, share);
        const job::JobResult stopped = job::runJob({}, both, stopper.source.get_token(), &stopper);
        QVERIFY(stopped.cancelled && stopped.peaks.empty() && job::isWhole(stopped));
        const auto kept = job::keepMap(stopped, {}, both.scene);
        const job::FoundPeaks found = job::extractPeaks(*kept, job::thresholdsOf(Job()));
        QCOMPARE(found.peaks.size(), full.peaks.size());
        for (std::size_t i = 0; i < found.peaks.size(); ++i) {
            QVERIFY(found.peaks[i].corner == full.peaks[i].corner);
            QCOMPARE(found.peaks[i].score, full.peaks[i].score);
        }
        QCOMPARE(found.threshold->value, full.report.threshold->value);
    }
    // Not from a part of a map, nor where another search would count false positives.
    Stopper early(Phase::Run, 0.3);
    Job slow;
    slow.method = "direct";
    QVERIFY(!job::isWhole(job::runJob(slow, both, early.source.get_token(), &early)));
    Job counted;
    counted.null = match::NullTemplate::Mirror;
    Stopper late(Phase::Peaks, 0.0);
    QVERIFY(!job::isWhole(job::runJob(counted, both, late.source.get_token(), &late)));
}

void JobCancelTest::aStopBeforeTheStartIsAResult() {
    std::stop_source source;
    source.request_stop();
    const job::JobResult result =
        job::runJob({}, images({100, 100, 1}, {9, 9, 1}), source.get_token());
    QVERIFY(result.cancelled);
    QVERIFY(!result.map);
}

void JobCancelTest::aPlanCanBeCancelled() {
    const test::Folder folder;
    Job job;
    job.report = folder.path("plan.json");
    Stopper stopper(Phase::Plan, 0);
    const job::JobImages both = images({1000, 1000, 1}, {31, 33, 1});
    QVERIFY(job::planJob(job, both, stopper.source.get_token(), &stopper).cancelled);
    QVERIFY(folder.names().empty());
    QVERIFY(!job::planJob(job, both).cancelled);
    QCOMPARE(folder.names(), std::vector<std::string>{"plan.json"});
}

void JobCancelTest::aStopThatComesTooLateFindsTheJobDone() {
    const test::Folder folder;
    const Job job = test::withOutputs({}, folder);
    Stopper stopper(Phase::Write, 1);
    const job::JobResult result =
        job::runJob(job, images({100, 90, 1}, {9, 9, 1}), stopper.source.get_token(), &stopper);
    QVERIFY(stopper.source.stop_requested());
    QVERIFY(!result.cancelled);
    QCOMPARE(folder.names().size(), std::size_t{6});
}

void JobCancelTest::readingFilesEndsSoon() {
    const test::Folder folder;
    Job job = test::withOutputs({}, folder);
    job.scene = folder.path("scene.mha");
    job.crops = {base::Box{{0, 0, 0}, {9, 9, 1}}};
    const base::Extents large =
        test::kSanitized ? base::Extents{3000, 2000, 1} : base::Extents{6000, 4000, 1};
    io::writeImage(job.scene, base::viewOf(test::texture(PixelType::Float32, large, 5)), {});
    int cancelled = 0;
    // While the file is read, while its sum is taken and while its statistics are.
    for (int delay = 0; delay < 200 && cancelled < (test::kSanitized ? 3 : 8); delay += 10) {
        std::stop_source source;
        Clock::time_point asked;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(delay));
            asked = Clock::now();
            source.request_stop();
        });
        job.planning = plan::Planning::Estimate;
        const job::JobResult result = job::runJob(job, {}, source.get_token());
        stopper.join();
        const auto took = std::chrono::duration<double>(Clock::now() - asked).count();
        QVERIFY2(took < kLongest || !result.cancelled, qPrintable(QString::number(took)));
        cancelled += result.cancelled ? 1 : 0;
        if (result.cancelled) {
            QCOMPARE(folder.names(), std::vector<std::string>{"scene.mha"});
        } else {
            break;
        }
    }
    QVERIFY(cancelled > 0);
}

void JobCancelTest::outputsAppearAllOrNone() {
    /// Puts a folder in the way of the last output when all others are written.
    class Blocker : public job::JobSink {
      public:
        explicit Blocker(std::filesystem::path folder) : m_folder(std::move(folder)) {}
        void phase(Phase phase) override { m_writing = phase == Phase::Write; }
        void progress(double share) override {
            if (m_writing && share > 0.8) {
                std::filesystem::create_directory(m_folder);
            }
        }

      private:
        std::filesystem::path m_folder;
        bool m_writing = false;
    };
    const test::Folder folder;
    const Job job = test::withOutputs({}, folder);
    io::writeText(job.map, "old");
    io::writeText(job.peaks, "old");
    Blocker blocker(job.report);
    const test::Thrown thrown = test::thrownBy([&] {
        (void)job::runJob(job, images({100, 90, 1}, {9, 9, 1}), {}, &blocker);
    });
    QCOMPARE(thrown.code, base::ErrorCode::Output);
    QCOMPARE(folder.names(), (std::vector<std::string>{"map.mha", "peaks.csv", "report.json"}));
    QCOMPARE(test::bytesOf(job.map), std::string("old"));
    QCOMPARE(test::bytesOf(job.peaks), std::string("old"));
}

void JobCancelTest::statisticsEndAtOnce() {
    std::stop_source source;
    source.request_stop();
    const base::AnyImage scene = test::texture(PixelType::Float32, {300, 200, 1}, 5);
    const method::SceneStatistics none =
        method::sceneStatistics(base::viewOf(scene), {9, 9, 1}, source.get_token());
    QCOMPARE(none.maximum, 0.0);
    QVERIFY(method::sceneStatistics(base::viewOf(scene), {9, 9, 1}).maximum > 0);
    const base::Image<base::Status> good(base::Extents{300, 200, 1}, base::Status::Ok);
    const base::Image<float> value(base::Extents{300, 200, 1}, 0.5F);
    QCOMPARE(match::mapStatistics(value.view(), good.view(), source.get_token()).count,
             std::int64_t{0});
    QCOMPARE(match::mapStatistics(value.view(), good.view()).count, std::int64_t{60000});
}

void JobCancelTest::aSampleThatIsStoppedLeavesNoFolder() {
    const test::Folder folder;
    std::stop_source source;
    int stopped = 0;
    source.request_stop();
    QVERIFY(job::writeSample("tiny", folder.path("a/b"), source.get_token()).empty());
    QVERIFY(folder.names().empty());
    for (int delay = 0; delay < 100; delay += 12) {
        std::stop_source late;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(delay));
            late.request_stop();
        });
        const bool none = job::writeSample("cells", folder.path("a/b"), late.get_token()).empty();
        QCOMPARE(std::filesystem::exists(folder.path("a")), !none);
        std::filesystem::remove_all(folder.path("a"));
        stopped += none ? 1 : 0;
    }
    QVERIFY(stopped > 0);
}

void JobCancelTest::stopsAtAnyMomentLeaveNothingBehind() {
    const job::JobImages both = images({400, 400, 1}, {9, 9, 1});
    int cancelled = 0;
    for (int delay = 0; delay < 25; ++delay) {
        const test::Folder folder;
        const Job job = test::withOutputs({}, folder);
        std::stop_source source;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(delay * delay * 130));
            source.request_stop();
        });
        const job::JobResult result = job::runJob(job, both, source.get_token());
        cancelled += result.cancelled ? 1 : 0;
        QCOMPARE(folder.names().size(), result.cancelled ? std::size_t{0} : std::size_t{6});
    }
    QVERIFY(cancelled > 0);
}

const flcc::test::TestClass<JobCancelTest> kJobCancelTest;
#include "cancel_test.moc"
