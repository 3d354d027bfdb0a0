#include <QtTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/cuda/plugin/engine.h"
#include "engine/job/job.h"
#include "engine/job/knowledge.h"
#include "engine/job/match/flight.h"
#include "engine/plan/planner.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/scene_folder.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using job::Job;
using job::Phase;
using job::Verification;
using test::Call;
using test::DeviceDouble;
using test::failAt;

namespace {

constexpr int kScenes = 5;

/// Five scenes alike, and a job for all of them on a device.
struct Work {
    test::Scenes scenes{kScenes};
    Job job;

    explicit Work(const std::string& device = "cuda:0", const std::string& method = "direct")
        : job(scenes.job({"scene0.mha", "scene1.mha", "scene2.mha", "scene3.mha", "scene4.mha"})) {
        job.device = device;
        job.method = method;
        job.threads = 2;
        job.minScore = 0.2;
        if (device == "auto" || device == "cpu") { // so much work that a device pays
            scenes.write("great.mha",
                         test::crop(test::noise(base::PixelType::UInt8, test::kScene, 5),
                                    {{20, 30, 0}, {56, 40, 1}}));
            job.templates = {scenes.path("great.mha")};
        }
    }
    [[nodiscard]] Job alone(int number) const {
        Job one = job;
        one.scene = scenes.path("scene" + std::to_string(number) + ".mha");
        one.furtherScenes.clear();
        return one;
    }
};

/// What a job tells, in its order; and what a test does then.
struct Watcher : job::JobSink {
    bool maps = true;
    std::vector<std::string> reported;
    std::vector<int> finished; ///< not cancelled
    int scene = -1;
    std::int64_t voxels = 0; ///< of the map, told of
    std::atomic<int> calls = 0;
    std::function<void(Phase, int)> onPhase;
    std::function<void(Verification, int)> onVerdict;
    std::function<void(int)> onRegion;
    const std::thread::id own = std::this_thread::get_id();

    [[nodiscard]] bool wantsMaps() const override { return maps; }
    void say(const std::string& what) {
        QCOMPARE(std::this_thread::get_id(), own);
        reported.push_back(std::to_string(scene) + " " + what);
    }
    void sceneStarted(const job::SceneTurn& at) override {
        scene = at.turn;
        voxels = 0;
        say("starts");
    }
    void sceneFinished(const job::SceneTurn& at, const job::JobResult& result) override {
        QCOMPARE(at.turn, scene);
        say("ends");
        if (!result.cancelled) {
            finished.push_back(at.number);
            if (result.map) {
                QVERIFY(voxels >= base::voxelCount(result.map->value.extents()));
            }
        }
    }
    void phase(Phase phase) override {
        if (scene >= 0) {
            say(std::string(job::name(phase)));
            if (onPhase) {
                onPhase(phase, scene);
            }
        }
    }
    void progress(double) override { oneAtATime(); }
    void regionFinished(const base::Box& box) override {
        voxels += base::voxelCount(box.extents);
        oneAtATime();
        if (onRegion) {
            onRegion(scene);
        }
    }
    void mapStarted(std::shared_ptr<const method::MatchMap>) override { say("map"); }
    void verification(Verification what, const std::string&) override {
        say(what == Verification::Open     ? "open"
            : what == Verification::Passed ? "passed"
            : what == Verification::Failed ? "wrong"
                                           : "processor");
        if (onVerdict) {
            onVerdict(what, scene);
        }
    }
    void oneAtATime() {
        QCOMPARE(++calls, 1);
        --calls;
    }
};

/// Kernels that wait until so many are there together, for a few seconds at most.
class Together {
  public:
    explicit Together(std::size_t wanted) : m_wanted(wanted) {}
    void operator()() {
        std::unique_lock lock(m_lock);
        m_threads.insert(std::this_thread::get_id());
        m_changed.notify_all();
        m_changed.wait_for(lock, std::chrono::seconds(5),
                           [this] { return m_threads.size() >= m_wanted; });
    }
    [[nodiscard]] std::size_t count() const { return m_threads.size(); }

  private:
    std::mutex m_lock;
    std::condition_variable m_changed;
    std::set<std::thread::id> m_threads;
    std::size_t m_wanted;
};

std::vector<int> inFlightOf(const job::JobReport& report) {
    std::vector<int> all;
    for (const job::JobReport& scene : report.scenes) {
        all.push_back(scene.stream->inFlight);
    }
    return all;
}

/// All but what comes from all scores, which differ in their bits between devices.
bool samePeaks(const job::JobReport& one, const job::JobReport& other) {
    const bool same = one.run->device == other.run->device;
    return one.peaks.size() == other.peaks.size() &&
           std::equal(one.peaks.begin(), one.peaks.end(), other.peaks.begin(),
                      [same](const match::Peak& a, const match::Peak& b) {
                          return a.corner == b.corner && a.score == b.score && a.shift == b.shift &&
                                 (!same || a.zscore == b.zscore);
                      });
}

/// Reports of jobs for each scene alone.
std::vector<job::JobReport> oneByOne(const Work& work) {
    std::vector<job::JobReport> all;
    for (int i = 0; i < kScenes; ++i) {
        all.push_back(job::runJob(work.alone(i)).report);
    }
    return all;
}

void requireAllGone() {
    const DeviceDouble& device = test::deviceDouble();
    QCOMPARE(device.memoryBlocks, std::int64_t{0});
    QCOMPARE(device.pinnedBlocks, std::int64_t{0});
    QCOMPARE(device.events, std::int64_t{0});
    QCOMPARE(device.streams, std::int64_t{0});
    QCOMPARE(device.transforms, std::int64_t{0});
}

} // namespace

/// Jobs with several scenes on a GPU, which is stood in for.
class CudaScenesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        test::deviceDouble().reset();
        cuda::Engine::standIn(&test::doubleTable());
        QVERIFY(job::updateKnowledge([](plan::Knowledge& now) { // a device pays
            now.model = method::CostModel{};
            now.model->multiplyAddsPerNs = 5;
        }));
    }
    void init() { test::deviceDouble().resetFast(); }
    void cleanup() { requireAllGone(); }

    void everySceneHasTheBytesOfARunAlone_data();
    void everySceneHasTheBytesOfARunAlone();
    void threeScenesComputeTogether();
    void aSceneComputesWhileTheOneBeforeIsVerified();
    void whatIsReportedComesSceneByScene();
    void memoryDecidesHowManyAreInFlight_data();
    void memoryDecidesHowManyAreInFlight();
    void oneAfterTheOther_data();
    void oneAfterTheOther();
    void aSceneOfAnotherKindWaits();
    void aFailureBesideOthersIsTriedAgainAlone_data();
    void aFailureBesideOthersIsTriedAgainAlone();
    void aDeviceThatFailsForGoodEndsOnTheProcessor();
    void aWrongResultEndsOnTheProcessor();
    void aBrokenSceneIsNamedInItsTurn();
    void cancellingEndsAll_data();
    void cancellingEndsAll();
    void aLostDeviceEndsOnTheProcessor();
};

void CudaScenesTest::everySceneHasTheBytesOfARunAlone_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<int>("order");
    QTest::addColumn<bool>("files");
    for (const char* method : {"direct", "tiled", "fourier"}) {
        for (const auto order : {test::Order::AtOnce, test::Order::Late, test::Order::Ahead}) {
            for (const bool files : {true, false}) {
                if (test::kSanitized && ((order == test::Order::Ahead) == files ||
                                         (order == test::Order::Late && *method != 'd'))) {
                    continue; // much of the same
                }
                QTest::addRow("%s, order %d, %s", method, static_cast<int>(order),
                              files ? "maps" : "no maps")
                    << method << static_cast<int>(order) << files;
            }
        }
    }
}

void CudaScenesTest::everySceneHasTheBytesOfARunAlone() {
    QFETCH(QString, method);
    QFETCH(int, order);
    QFETCH(bool, files);
    test::deviceDouble().order = static_cast<test::Order>(order);
    Work work("cuda:0", method.toStdString());
    work.job.audit = job::Audit::On;
    const test::Folder folder;
    const auto withFiles = [&](Job job, const test::Folder& to) {
        if (files) {
            return test::withOutputs(std::move(job), to);
        }
        job.peaks = to.path("peaks.csv");
        return job;
    };
    const Job all = withFiles(work.job, folder);
    Watcher watcher;
    watcher.maps = files;
    const job::JobReport report = job::runJob(all, {}, {}, &watcher).report;
    QCOMPARE(inFlightOf(report), (std::vector<int>{3, 3, 3, 2, 1}));
    QCOMPARE(watcher.finished, (std::vector<int>{0, 1, 2, 3, 4}));
    const std::vector<Job> each = job::scenesOf(all);
    for (int i = 0; i < kScenes; ++i) {
        const test::Folder own;
        const Job alone = withFiles(work.alone(i), own);
        Watcher silent;
        silent.maps = files;
        const job::JobReport single = job::runJob(alone, {}, {}, &silent).report;
        const auto number = static_cast<std::size_t>(i);
        for (auto output : {&Job::map, &Job::status, &Job::peaks, &Job::heatmap}) {
            QVERIFY2(test::bytesOf(each[number].*output) == test::bytesOf(alone.*output),
                     (each[number].*output).c_str());
        }
        const job::JobReport& scene = report.scenes[number];
        QVERIFY(samePeaks(scene, single));
        QVERIFY(!scene.peaks.empty() && scene.peaks[0].corner == test::placeIn(i));
        QCOMPARE(scene.run->device, std::string("cuda:0"));
        QCOMPARE(scene.audit->verdict, job::AuditVerdict::Passed);
        QCOMPARE(scene.audit->checked, single.audit->checked);
        QVERIFY(scene.map->facts.statusCounts == single.map->facts.statusCounts);
        QCOMPARE(scene.map->statistics.mean, single.map->statistics.mean);
        QCOMPARE(scene.stream->planOf, i == 0 ? std::nullopt : std::optional(0));
        QCOMPARE(scene.stream->preparedOf, i == 0 ? std::nullopt : std::optional(0));
        QCOMPARE(scene.stream->readAhead, i == 4 ? std::nullopt : std::optional(true));
        QCOMPARE(scene.inputs[0].sha256, single.inputs[0].sha256);
    }
    const std::string text = job::toText(report);
    QVERIFY2(text.find("3 scenes were processed at once") != std::string::npos, text.c_str());
    QVERIFY(job::toJson(report).find("\"in_flight\": 3") != std::string::npos);
}

void CudaScenesTest::threeScenesComputeTogether() {
    Together together(3);
    test::deviceDouble().starting = [&](std::int32_t) { together(); };
    QCOMPARE(std::ssize(job::runJob(Work().job).report.scenes), std::ptrdiff_t{kScenes});
    QVERIFY(together.count() >= 3);
}

/// The kernels of the second scene wait for the verdict on the first one.
void CudaScenesTest::aSceneComputesWhileTheOneBeforeIsVerified() {
    Watcher watcher;
    std::mutex lock;
    std::condition_variable changed;
    bool verified = false;
    bool waited = true;
    watcher.onVerdict = [&](Verification what, int) {
        const std::lock_guard guard(lock);
        verified = verified || what == Verification::Passed;
        changed.notify_all();
    };
    test::deviceDouble().starting = [&](std::int32_t) {
        if (std::this_thread::get_id() == watcher.own) {
            return; // the first one
        }
        std::unique_lock guard(lock);
        waited =
            changed.wait_for(guard, std::chrono::seconds(5), [&] { return verified; }) && waited;
    };
    QVERIFY(!job::runJob(Work().job, {}, {}, &watcher).cancelled);
    QVERIFY(verified && waited);
}

void CudaScenesTest::whatIsReportedComesSceneByScene() {
    Watcher watcher;
    watcher.scene = -1;
    QVERIFY(!job::runJob(Work().job, {}, {}, &watcher).cancelled);
    std::vector<std::string> wanted;
    for (int i = 0; i < kScenes; ++i) {
        for (const char* what : {"starts", "reading", "planning", "matching", "map", "open",
                                 "finding peaks", "passed", "writing", "ends"}) {
            wanted.push_back(std::to_string(i) + " " + what);
        }
    }
    QCOMPARE(watcher.reported, wanted);
}

void CudaScenesTest::memoryDecidesHowManyAreInFlight_data() {
    QTest::addColumn<bool>("device"); // whose memory ends
    QTest::addColumn<int>("scenes");
    QTest::addColumn<int>("less");
    for (const bool device : {false, true}) {
        for (const int scenes : {1, 2, 3}) {
            for (const int less : {0, 1}) {
                if (test::kSanitized && (scenes == 2) != device) {
                    continue; // sums of the same kind
                }
                QTest::addRow("%s for %d scenes less %d bytes", device ? "device" : "host", scenes,
                              less)
                    << device << scenes << less;
            }
        }
    }
}

void CudaScenesTest::memoryDecidesHowManyAreInFlight() {
    QFETCH(bool, device);
    QFETCH(int, scenes);
    QFETCH(int, less);
    method::Prediction prediction;
    prediction.onDevice.times.emplace();
    prediction.hostBytes = 1000;
    prediction.onDevice.bytes = 300;
    prediction.onDevice.memory = device ? scenes * 300 - less : 4000;
    const std::int64_t memory = device ? 100000 : scenes * 1000 + (scenes - 1) * 70 - less;
    const int wanted = std::max(1, scenes - less);
    QCOMPARE(job::detail::scenesInFlight(prediction, 70, memory), wanted);

    // And so does a job, which takes the GPU all the same.
    if (!device && scenes - less > 0) {
        Work work;
        work.job.tile = {64, 64, 1}; // one way, whatever the memory
        const std::int64_t each = job::planJob(work.alone(0)).plan.chosen()->prediction->hostBytes;
        work.job.memoryBytes =
            scenes * each + (scenes - 1) * base::byteCount(test::kScene, 1) - less;
        const job::JobReport report = job::runJob(work.job).report;
        QCOMPARE(report.scenes[0].stream->inFlight, wanted);
        QCOMPARE(report.scenes[1].stream->inFlight, wanted);
        QCOMPARE(report.scenes[1].run->device, std::string("cuda:0"));
        QVERIFY(test::deviceDouble().mostPinned <= wanted * each);
    }
}

void CudaScenesTest::oneAfterTheOther_data() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("repeat");
    QTest::newRow("the processor") << "cpu" << 1;
    QTest::newRow("times of single runs") << "cuda:0" << 2;
}

void CudaScenesTest::oneAfterTheOther() {
    QFETCH(QString, device);
    QFETCH(int, repeat);
    Work work(device.toStdString());
    work.job.repeat = repeat;
    const job::JobReport report = job::runJob(work.job).report;
    QCOMPARE(inFlightOf(report), std::vector<int>(kScenes, 1));
    QCOMPARE(report.scenes[0].stream->readAhead, std::optional(true));
}

void CudaScenesTest::aSceneOfAnotherKindWaits() {
    Work work;
    work.scenes.write("large.mha", test::noise(base::PixelType::UInt8, {150, 96, 1}, 9));
    work.job.furtherScenes.insert(work.job.furtherScenes.begin(), work.scenes.path("large.mha"));
    const job::JobReport report = job::runJob(work.job).report;
    QCOMPARE(inFlightOf(report), (std::vector<int>{3, 1, 3, 3, 2, 1}));
    QVERIFY(!report.scenes[1].stream->planOf);
    QCOMPARE(report.scenes[5].stream->readAhead, std::optional(true)); // then comes the large one
    QCOMPARE(report.scenes[1].run->device, std::string("cuda:0"));
}

void CudaScenesTest::aFailureBesideOthersIsTriedAgainAlone_data() {
    QTest::addColumn<int>("call");
    QTest::addColumn<QString>("method");
    test::Thinned some(5);
    const auto row = [&](const char* what, Call call, const char* method) {
        if (some.next()) {
            QTest::addRow("%s, %s", what, method) << static_cast<int>(call) << method;
        }
    };
    row("memory", Call::Allocate, "direct");
    row("pinned memory", Call::Pin, "direct");
    row("upload", Call::Upload, "direct");
    row("kernel", Call::Direct, "direct");
    row("download", Call::Download, "direct");
    row("event", Call::Await, "direct");
    row("plan", Call::MakeTransform, "tiled");
    row("transform", Call::Transform, "tiled");
}

/// Whichever call fails, once: the results are right, and from the GPU where the scene that failed
/// was not alone.
void CudaScenesTest::aFailureBesideOthersIsTriedAgainAlone() {
    QFETCH(int, call);
    QFETCH(QString, method);
    const Work work("cuda:0", method.toStdString());
    const std::vector<job::JobReport> wanted = oneByOne(work);
    int again = 0;
    for (int turn = 1; turn <= 24; turn += test::kSanitized ? 13 : 3) {
        failAt(static_cast<Call>(call), turn, DeviceDouble::kInvalidValue);
        job::JobReport report;
        const test::Thrown thrown = test::thrownBy([&] { report = job::runJob(work.job).report; });
        if (!thrown.sentence.empty()) { // the first scene, alone
            QVERIFY2(thrown.sentence.find("scene0.mha") != std::string::npos,
                     thrown.sentence.c_str());
            continue;
        }
        for (std::size_t i = 0; i < kScenes; ++i) {
            QVERIFY(samePeaks(report.scenes[i], wanted[i]));
            QCOMPARE(report.scenes[i].run->device, std::string("cuda:0"));
        }
        again += inFlightOf(report) != std::vector<int>{3, 3, 3, 2, 1} ? 1 : 0;
    }
    QVERIFY(again > 0);
}

void CudaScenesTest::aDeviceThatFailsForGoodEndsOnTheProcessor() {
    const Work work("auto");
    const std::vector<job::JobReport> wanted = oneByOne(Work("cpu"));
    Watcher watcher;
    std::atomic<bool> fails = false;
    watcher.onVerdict = [&](Verification what, int scene) {
        if (what == Verification::Passed && scene == 0) {
            failAt(Call::Direct, 1, DeviceDouble::kInvalidValue, INT_MAX);
            fails = true;
        }
    };
    test::deviceDouble().starting = [&](std::int32_t) { // the scenes ahead wait for that
        for (int i = 0; std::this_thread::get_id() != watcher.own && i < 5000 && !fails; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    };
    const job::JobResult result = job::runJob(work.job, {}, {}, &watcher);
    const auto& scenes = result.report.scenes;
    QCOMPARE(scenes[0].run->device, std::string("cuda:0"));
    for (std::size_t i = 0; i < kScenes; ++i) {
        QVERIFY(samePeaks(scenes[i], wanted[i]));
        QCOMPARE(scenes[i].run->device, std::string(i == 0 ? "cuda:0" : "cpu"));
        QCOMPARE(scenes[i].stream->inFlight, i == 0 ? 3 : 1);
    }
    QVERIFY(!scenes[1].stream->preparedOf);
    QCOMPARE(scenes[2].stream->planOf, std::optional(1));
    QCOMPARE(result.warnings.size(), std::size_t{1});
    QVERIFY2(result.warnings[0].find("scene1.mha: ") != std::string::npos &&
                 result.warnings[0].find("done on the CPU instead") != std::string::npos,
             result.warnings[0].c_str());
}

void CudaScenesTest::aWrongResultEndsOnTheProcessor() {
    const std::vector<job::JobReport> wanted = oneByOne(Work("cpu"));
    test::deviceDouble().wrong = 0.01F;
    Watcher watcher;
    const job::JobResult result = job::runJob(Work("auto").job, {}, {}, &watcher);
    for (std::size_t i = 0; i < kScenes; ++i) {
        QVERIFY(samePeaks(result.report.scenes[i], wanted[i]));
        QCOMPARE(result.report.scenes[i].run->device, std::string("cpu"));
    }
    QCOMPARE(std::count(watcher.reported.begin(), watcher.reported.end(), "0 wrong"),
             std::ptrdiff_t{1});
    QCOMPARE(std::count(watcher.reported.begin(), watcher.reported.end(), "1 processor"),
             std::ptrdiff_t{1});
    const test::Thrown thrown = test::thrownBy([] { (void)job::runJob(Work("cuda:0").job); });
    QVERIFY2(thrown.sentence.find("scene0.mha") != std::string::npos, thrown.sentence.c_str());
}

void CudaScenesTest::aBrokenSceneIsNamedInItsTurn() {
    const Work work;
    const test::Folder folder;
    Job job = work.job;
    job.map = folder.path("map.mha");
    const std::filesystem::path broken = work.scenes.path("scene2.mha");
    std::filesystem::resize_file(broken, std::filesystem::file_size(broken) - 1);
    Watcher watcher;
    const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job, {}, {}, &watcher); });
    QVERIFY2(thrown.sentence.find("scene2.mha") != std::string::npos, thrown.sentence.c_str());
    QVERIFY(folder.names().empty());
}

void CudaScenesTest::cancellingEndsAll_data() {
    QTest::addColumn<int>("phase"); // -1: by a region that is finished
    QTest::addColumn<int>("scene");
    for (const int scene : {0, 1, 3, 4}) {
        if (test::kSanitized && scene % 3 == 1) {
            continue;
        }
        for (const int phase : {-1, static_cast<int>(Phase::Read), static_cast<int>(Phase::Run),
                                static_cast<int>(Phase::Peaks), static_cast<int>(Phase::Write)}) {
            QTest::addRow("phase %d of scene %d", phase, scene) << phase << scene;
        }
    }
}

void CudaScenesTest::cancellingEndsAll() {
    QFETCH(int, phase);
    QFETCH(int, scene);
    const Work work;
    const test::Folder folder;
    const Job job = test::withOutputs(work.job, folder);
    std::stop_source source;
    Watcher watcher;
    watcher.onPhase = [&](Phase at, int now) {
        if (static_cast<int>(at) == phase && now == scene) {
            source.request_stop();
        }
    };
    watcher.onRegion = [&](int now) {
        if (phase == -1 && now == scene) {
            source.request_stop();
        }
    };
    const job::JobResult result = job::runJob(job, {}, source.get_token(), &watcher);
    QVERIFY(result.cancelled && result.report.scenes.empty());
    QCOMPARE(std::ssize(watcher.finished), std::ptrdiff_t{scene});
    QCOMPARE(watcher.reported.back(), std::to_string(scene) + " ends");
    QVERIFY(folder.names().empty());
}

// The last, as it ends the device for the process.
void CudaScenesTest::aLostDeviceEndsOnTheProcessor() {
    const std::vector<job::JobReport> wanted = oneByOne(Work("cpu"));
    failAt(Call::Await, 8, DeviceDouble::kIllegalAddress);
    const job::JobResult result = job::runJob(Work("auto").job);
    for (std::size_t i = 0; i < kScenes; ++i) {
        QVERIFY(samePeaks(result.report.scenes[i], wanted[i]));
    }
    QCOMPARE(result.report.scenes[4].run->device, std::string("cpu"));
    QCOMPARE(result.warnings.size(), std::size_t{1});
    QVERIFY_EXCEPTION_THROWN((void)job::runJob(Work("cuda").job), base::Error);
}

const flcc::test::TestClass<CudaScenesTest> kCudaScenesTest;
#include "scenes_test.moc"
