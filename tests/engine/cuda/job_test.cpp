#include <QtTest>

#include <algorithm>
#include <climits>
#include <cmath>
#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/cuda/plugin/engine.h"
#include "engine/job/job.h"
#include "engine/plan/planner.h"
#include "tests/engine/cpu/masks.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::Call;
using test::DeviceDouble;
using test::failAt;

namespace {

/// A scene in memory, and a job that matches a part of it by the cost model alone.
struct Work {
    job::Job job;
    job::JobImages images;

    explicit Work(const std::string& device) {
        job::SceneImage scene{
            test::texture(base::PixelType::UInt16, {500, 400, 1}, 7), {}, "memory", {}, {}};
        images.scene = std::make_shared<const job::SceneImage>(std::move(scene));
        job.crops = {{{120, 80, 0}, {24, 24, 1}}};
        job.device = device;
        job.threads = 1;
        job.planning = plan::Planning::Estimate;
        job.method = "direct";
        job.minScore = 0.5; // else the scores decide, for which all of the map must come back
    }
    [[nodiscard]] job::JobResult run(job::JobSink* sink = nullptr) const {
        return job::runJob(job, images, {}, sink);
    }
};

/// Looks at no map.
struct Blind : job::JobSink {
    [[nodiscard]] bool wantsMaps() const override { return false; }
};

const plan::CandidateReport* rowOf(const job::JobReport& report, const std::string& device) {
    for (const plan::CandidateReport& row : report.plan.candidates) {
        if (row.candidate.device == device) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace

/// Jobs of a program whose machine has a GPU, which is stood in for.
class CudaJobTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        test::deviceDouble().resetFast();
        cuda::Engine::standIn(&test::doubleTable());
    }
    void init() { test::deviceDouble().resetFast(); }

    void aGpuIsListedWithItsMemory() {
        const auto devices = plan::devices();
        QCOMPARE(devices.size(), std::size_t{2});
        QCOMPARE(devices[1].id, std::string("cuda:0"));
        QVERIFY(devices[1].usable && devices[1].reason.empty());
        QCOMPARE(devices[1].memoryFree, test::deviceDouble().freeBytes);
    }

    void bothDevicesGiveTheSamePeaks_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<bool>("masked");
        for (const char* method : {"direct", "tiled", "fourier"}) {
            for (const bool masked : {false, true}) {
                if (!masked || method != std::string("direct")) { // which takes no mask on a GPU
                    QTest::addRow("%s%s", method, masked ? ", with a mask of the scene" : "")
                        << method << masked;
                }
            }
        }
    }

    void bothDevicesGiveTheSamePeaks() {
        QFETCH(QString, method);
        QFETCH(bool, masked);
        const auto on = [&](const std::string& device) {
            Work work(device);
            work.job.method = method.toStdString();
            if (masked) {
                if (method == "fourier" && device == "cpu") { // which takes no mask
                    work.job.method = "tiled";
                }
                work.images.sceneMask =
                    job::maskOf({test::someOf({500, 400, 1}, 0.999, 3), {}, "scene mask", {}, {}});
                work.job.partialPeaks = true;
            }
            return work.run();
        };
        const job::JobResult gpu = on("cuda:0");
        const job::JobResult cpu = on("cpu");
        QCOMPARE(gpu.report.run->device, std::string("cuda:0"));
        QCOMPARE(cpu.report.run->device, std::string("cpu"));
        QVERIFY(rowOf(cpu.report, "cuda:0") == nullptr);
        QVERIFY(!gpu.peaks.empty());
        QCOMPARE(gpu.peaks.size(), cpu.peaks.size());
        for (std::size_t i = 0; i < gpu.peaks.size(); ++i) {
            QVERIFY(gpu.peaks[i].corner == cpu.peaks[i].corner);
            QCOMPARE(gpu.peaks[i].score, cpu.peaks[i].score);
        }
        QVERIFY(gpu.report.audit->verdict != job::AuditVerdict::Failed);
    }

    void thePlanChoosesTheFasterDevice() {
        const job::JobResult both = Work("auto").run();
        QCOMPARE(both.report.run->device, std::string("cuda:0"));
        QVERIFY(rowOf(both.report, "cpu")->verdict == plan::CandidateVerdict::Slower);
        QCOMPARE(Work("cuda").run().report.run->device, std::string("cuda:0"));
        // Transfers and compute apart, as predicted and as they were, and the model beside.
        const auto& times = both.report.run->times;
        QVERIFY(times && times->upload > 0 && times->compute > 0 && times->download > 0);
        QVERIFY(!rowOf(both.report, "cpu")->prediction->onDevice.times);
        const std::string json = job::toJson(both.report);
        QVERIFY(json.find("\"one_after_the_other_ms\"") != std::string::npos);
        const std::string text = job::toText(both.report);
        QVERIFY2(text.find("one after the other (Karas (33)) ") != std::string::npos, text.c_str());
    }

    void aFailureThatNobodyAskedForEndsOnTheProcessor_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("call");
        QTest::addColumn<int>("result"); // of all calls of that kind
        const auto row = [](const char* method, const char* what, Call call, cuda::Result result) {
            QTest::addRow("%s, %s", method, what) << method << static_cast<int>(call) << result;
        };
        row("direct", "no memory", Call::Allocate, cuda::kOutOfMemory);
        row("direct", "no launch", Call::Direct, DeviceDouble::kInvalidValue);
        row("direct", "no copy", Call::Download, DeviceDouble::kInvalidValue);
        row("tiled", "no memory", Call::Allocate, cuda::kOutOfMemory);
        row("tiled", "no plan", Call::MakeTransform, DeviceDouble::kNoPlan);
        row("fourier", "no plan for want of memory", Call::MakeTransform, cuda::kOutOfMemory);
        row("fourier", "no transform", Call::Transform, DeviceDouble::kNoPlan);
    }

    void aFailureThatNobodyAskedForEndsOnTheProcessor() {
        QFETCH(QString, method);
        QFETCH(int, call);
        QFETCH(int, result);
        failAt(static_cast<Call>(call), 1, result, INT_MAX);
        Work work("auto");
        work.job.method = method.toStdString();
        const job::JobResult found = work.run();
        QCOMPARE(found.report.run->device, std::string("cpu"));
        std::size_t failed = 0;
        for (const plan::CandidateReport& row : found.report.plan.candidates) {
            if (row.verdict == plan::CandidateVerdict::Failed) {
                ++failed;
                QCOMPARE(row.candidate.device, std::string("cuda:0"));
                QVERIFY2(row.reason.find("failed in the run") != std::string::npos,
                         row.reason.c_str());
            }
        }
        QVERIFY(failed > 0);
        QCOMPARE(found.notes.size(), failed);
        QVERIFY2(found.notes.back().find("done on the CPU instead") != std::string::npos,
                 found.notes.back().c_str());
        work.job.device = "cpu";
        const job::JobResult cpu = work.run();
        QVERIFY(std::equal(found.map->value.data(),
                           found.map->value.data() + found.map->value.count(),
                           cpu.map->value.data()));
        QCOMPARE(found.peaks.size(), cpu.peaks.size());
    }

    void whatTheProcessorCannotDoEitherEndsWithBothReasons() {
        Work work("auto");
        work.job.method = "fourier";
        // All that the GPU needs of the host; the processor keeps the scene's spectrum there too.
        work.job.memoryBytes = rowOf(work.run().report, "cuda:0")->prediction->hostBytes;
        failAt(Call::Tiled, 1, DeviceDouble::kInvalidValue);
        try {
            (void)work.run();
            QFAIL("there was nothing to run on");
        } catch (const base::Error& error) {
            const QString sentence = QString::fromStdString(error.what());
            QVERIFY2(sentence.contains("cuda:0") && sentence.contains("; and on the CPU: "),
                     error.what());
        }
    }

    void aDeviceAskedForIsNeverReplaced() {
        for (const char* device : {"cuda", "cuda:0"}) {
            test::deviceDouble().resetFast();
            failAt(Call::Direct, 1, DeviceDouble::kInvalidValue);
            try {
                (void)Work(device).run();
                QFAIL("a run on a device that failed gave a result");
            } catch (const base::Error& error) {
                QVERIFY(error.code() == base::ErrorCode::Device);
            }
        }
        try {
            (void)Work("cuda:1").run();
            QFAIL("a run on a device that is not there gave a result");
        } catch (const base::Error& error) {
            QVERIFY(error.code() == base::ErrorCode::Device);
            QVERIFY2(std::string(error.what()).find("cuda:1") != std::string::npos, error.what());
        }
    }

    void aGpuTriesWhatElseItCan_data() {
        QTest::addColumn<QString>("device");
        QTest::newRow("asked for") << "cuda";
        QTest::newRow("any device") << "auto";
    }

    // One way of a GPU has no memory or plan: another one of it may, and the report says so.
    void aGpuTriesWhatElseItCan() {
        QFETCH(QString, device);
        for (const std::int64_t failures : {1, 2}) {
            test::deviceDouble().resetFast();
            failAt(Call::MakeTransform, 1, DeviceDouble::kNoPlan, failures);
            Work work(device.toStdString());
            work.job.method = "tiled";
            const job::JobResult found = work.run();
            QCOMPARE(found.report.run->device, std::string("cuda:0"));
            const auto& rows = found.report.plan.candidates;
            QCOMPARE(std::count_if(rows.begin(), rows.end(),
                                   [](const plan::CandidateReport& row) {
                                       return row.verdict == plan::CandidateVerdict::Failed;
                                   }),
                     failures);
            QCOMPARE(std::ssize(found.notes), failures);
            QVERIFY2(found.notes.front().find("done by tiled instead") != std::string::npos,
                     found.notes.front().c_str());
            QVERIFY(found.peaks.front().corner == work.job.crops.front().corner);
        }
    }

    void anotherMethodOfTheGpuGoesBeforeTheProcessor() {
        Work work("auto");
        work.job.method = "auto";
        const std::string first = work.run().report.plan.chosen()->candidate.method;
        failAt(first == "direct" ? Call::Direct : Call::MakeTransform, 1, cuda::kOutOfMemory,
               INT_MAX);
        const job::JobResult found = work.run();
        QCOMPARE(found.report.run->device, std::string("cuda:0"));
        QVERIFY(found.report.plan.chosen()->candidate.method != first);
        QVERIFY(!found.notes.empty());
    }

    void noMoreIsPlannedThanIsFree() {
        Work work("cuda");
        work.job.method = "tiled";
        work.job.tile = {128, 128, 1};
        DeviceDouble& device = test::deviceDouble();
        const job::JobResult roomy = work.run();
        const std::int64_t all = device.mostBytes;
        device.resetFast();
        device.freeBytes = device.about.memoryBytes / 16 - 1; // less than is counted
        work.job.device = "auto";
        const job::JobResult none = work.run();
        QCOMPARE(none.report.run->device, std::string("cpu"));
        const plan::CandidateReport* const row = rowOf(none.report, "cuda:0");
        QVERIFY(row != nullptr && row->verdict == plan::CandidateVerdict::Refused);
        QVERIFY2(row->reason.find(" of whose 8193 MiB are free") != std::string::npos,
                 row->reason.c_str());
        QVERIFY(none.notes.empty() && device.mostBytes == 0 && all > 0);
        // What others hold changes no key of what was timed.
        QVERIFY(row->candidate == rowOf(roomy.report, "cuda:0")->candidate);
    }

    void aGpuThatIsNotChosenIsNotAskedForItsMemory() {
        Work work("cpu");
        (void)work.run();
        QCOMPARE(test::deviceDouble().memoryAsked, std::int64_t{0});
        work.job.device = "auto";
        work.job.method = "tiled-template"; // which GPUs do not have
        (void)work.run();
        QCOMPARE(test::deviceDouble().memoryAsked, std::int64_t{0});
        work.job.method = "direct";
        (void)work.run();
        QCOMPARE(test::deviceDouble().memoryAsked, std::int64_t{1});
    }

    void aGpuAskedForThatCanDoNothingEndsTheJob_data() {
        QTest::addColumn<int>("call");
        QTest::newRow("no plan at all") << static_cast<int>(Call::MakeTransform);
        QTest::newRow("no memory at all") << static_cast<int>(Call::Allocate);
    }

    void aGpuAskedForThatCanDoNothingEndsTheJob() {
        QFETCH(int, call);
        failAt(static_cast<Call>(call), 1, DeviceDouble::kNoPlan, INT_MAX);
        Work work("cuda");
        work.job.method = "tiled";
        try {
            (void)work.run();
            QFAIL("a device that can do nothing gave a result");
        } catch (const base::Error& error) {
            QVERIFY(error.code() == base::ErrorCode::Device);
            QVERIFY2(std::string(error.what()).find("cuFFT: internal error") != std::string::npos,
                     error.what());
        }
    }

    void aMapThatNobodyWantsStaysOnTheDevice_data() { bothDevicesGiveTheSamePeaks_data(); }

    void aMapThatNobodyWantsStaysOnTheDevice() {
        QFETCH(QString, method);
        Work work("cuda:0");
        work.job.method = method.toStdString();
        work.job.minScore = 0.2;
        const job::JobResult seen = work.run();
        Blind blind;
        const job::JobResult found = work.run(&blind);
        QVERIFY(seen.map && !found.map);
        QVERIFY(found.peaks.size() > 3);
        QCOMPARE(found.peaks.size(), seen.peaks.size());
        for (std::size_t i = 0; i < found.peaks.size(); ++i) {
            const match::Peak& own = found.peaks[i];
            const match::Peak& other = seen.peaks[i];
            QVERIFY(own.corner == other.corner && own.status == other.status);
            QVERIFY(own.shift == other.shift && own.curvature == other.curvature);
            QVERIFY(own.score == other.score && own.zscore == other.zscore);
            QVERIFY(own.rival == other.rival);
        }
        const match::MapStatistics& own = found.report.map->statistics;
        const match::MapStatistics& other = seen.report.map->statistics;
        QCOMPARE(own.mean, other.mean);
        QCOMPARE(own.standardDeviation, other.standardDeviation);
        QVERIFY(own.minimum == other.minimum && own.maximum == other.maximum);
        QVERIFY(found.report.map->facts.statusCounts == seen.report.map->facts.statusCounts);
        QCOMPARE(found.report.audit->verdict, job::AuditVerdict::Passed);
        QCOMPARE(found.report.audit->checked, seen.report.audit->checked);
        QCOMPARE(found.report.audit->largestDeviation, seen.report.audit->largestDeviation);
        const auto bytes = [](const job::JobResult& of) {
            return std::pair{of.report.run->times->downloaded,
                             of.report.plan.chosen()->prediction->onDevice.times->downloaded};
        };
        QVERIFY(4 * bytes(found).first < bytes(seen).first);
        QVERIFY(4 * bytes(found).second < bytes(seen).second);
        QVERIFY(job::toJson(found.report)
                    .find("\"downloaded_bytes\": " + std::to_string(bytes(found).first)) !=
                std::string::npos);
    }

    void aMapThatIsWrittenComesBack() {
        const QTemporaryDir folder;
        Work work("cuda:0");
        Blind blind;
        work.job.map = folder.filePath("map.mha").toStdString();
        const job::JobResult found = work.run(&blind);
        QVERIFY(found.map);
        QVERIFY(std::filesystem::exists(work.job.map));
    }

    void severalTemplatesStayOnTheDevice() {
        Work work("cuda:0");
        Blind blind;
        work.job.crops.push_back({{20, 30, 0}, {24, 24, 1}});
        QVERIFY(!work.run(&blind).map);
        work.job.crops.push_back({{50, 30, 0}, {20, 20, 1}});
        const job::JobResult found = work.run(&blind);
        const job::JobResult cpu = [&] {
            work.job.device = "cpu";
            return work.run();
        }();
        QCOMPARE(found.report.groups.size(), std::size_t{2});
        QCOMPARE(found.peaks.size(), cpu.peaks.size());
        for (std::size_t i = 0; i < found.peaks.size(); ++i) {
            QVERIFY(found.peaks[i].corner == cpu.peaks[i].corner);
            QCOMPARE(found.peaks[i].score, cpu.peaks[i].score);
            QCOMPARE(found.peaks[i].templ, cpu.peaks[i].templ);
        }
    }

    void aWrongResultThatStayedOnTheDeviceIsFound() {
        test::deviceDouble().wrong = 0.01F;
        Blind blind;
        const job::JobResult found = Work("auto").run(&blind);
        QCOMPARE(found.report.run->device, std::string("cpu"));
        QVERIFY2(found.notes.front().find("gave a wrong result") != std::string::npos,
                 found.notes.front().c_str());
        QCOMPARE(found.peaks.size(), Work("cpu").run().peaks.size());
    }

    void aWrongResultIsFoundWhateverBoundsADeviceTells_data() {
        QTest::addColumn<float>("wrong");
        QTest::addColumn<bool>("blind"); // the map stays on the device
        for (const bool blind : {false, true}) {
            QTest::addRow("wrong scores%s", blind ? ", reduced" : "") << 0.3F << blind;
            QTest::addRow("bounds alone%s", blind ? ", reduced" : "") << 0.0F << blind;
        }
    }

    void aWrongResultIsFoundWhateverBoundsADeviceTells() {
        QFETCH(float, wrong);
        QFETCH(bool, blind);
        test::deviceDouble().wrong = wrong;
        test::deviceDouble().reported = 1;
        Blind eyes;
        const job::JobResult found = Work("auto").run(blind ? &eyes : nullptr);
        QCOMPARE(found.report.run->device, std::string("cpu"));
        const std::string& note = found.notes.front();
        QVERIFY2(note.find("gave a wrong result") != std::string::npos, note.c_str());
        QCOMPARE(note.find("LOWCONF is 1, above the promise of") != std::string::npos, wrong == 0);
    }

    void aWrongResultOfADeviceIsNeverShown() {
        test::deviceDouble().wrong = 0.01F;
        Work work("auto");
        work.job.audit = job::Audit::Off; // a GPU is verified all the same
        const job::JobResult found = work.run();
        QCOMPARE(found.report.run->device, std::string("cpu"));
        QVERIFY2(found.notes.front().find("gave a wrong result") != std::string::npos,
                 found.notes.front().c_str());
        const job::JobResult cpu = Work("cpu").run();
        QVERIFY(std::equal(cpu.map->value.data(), cpu.map->value.data() + cpu.map->value.count(),
                           found.map->value.data()));
        QCOMPARE(found.peaks.size(), cpu.peaks.size());
        try {
            (void)Work("cuda").run();
            QFAIL("a wrong result was returned");
        } catch (const base::Error& error) {
            QVERIFY(error.code() == base::ErrorCode::Device);
        }
    }

    void whatFailsWhenItIsTimedIsNotChosen() {
        failAt(Call::Direct, 1, DeviceDouble::kInvalidValue);
        Work work("auto");
        work.job.planning = plan::Planning::Exhaustive;
        const job::JobResult found = work.run();
        QCOMPARE(found.report.run->device, std::string("cpu"));
        QVERIFY(rowOf(found.report, "cuda:0")->verdict == plan::CandidateVerdict::Failed);
    }

    void aProblemThatGpusDoNotSolveGoesToTheProcessor() {
        Work work("auto");
        work.job.method = "tiled";
        work.job.tile = {110, 110, 1}; // a multiple of 11
        const job::JobResult found = work.run();
        QCOMPARE(found.report.run->device, std::string("cpu"));
        QVERIFY(rowOf(found.report, "cuda:0")->verdict == plan::CandidateVerdict::Refused);
        work.job.device = "cuda";
        QVERIFY_EXCEPTION_THROWN((void)work.run(), base::Error);
    }

    // The last, as it ends the device for the process.
    void aLostDeviceIsNotUsedAgain() {
        failAt(Call::Await, 2, DeviceDouble::kIllegalAddress);
        Work several("auto");
        several.job.method = "tiled";
        const job::JobResult first = several.run();
        QCOMPARE(first.report.run->device, std::string("cpu"));
        QCOMPARE(first.notes.size(), std::size_t{1}); // no other tile was tried
        test::deviceDouble().resetFast();             // whatever the driver says now
        const job::JobResult second = Work("auto").run();
        QCOMPARE(second.report.run->device, std::string("cpu"));
        const plan::CandidateReport* const row = rowOf(second.report, "cuda:0");
        QVERIFY(row != nullptr && row->verdict == plan::CandidateVerdict::Refused);
        QVERIFY2(row->reason.find("start the program again") != std::string::npos,
                 row->reason.c_str());
        QVERIFY(!plan::devices()[1].usable);
        QVERIFY_EXCEPTION_THROWN((void)Work("cuda").run(), base::Error);
    }
};

const flcc::test::TestClass<CudaJobTest> kCudaJobTest;
#include "job_test.moc"
