#include <QtTest>

#include <algorithm>
#include <string>

#include "engine/cuda/plugin/engine.h"
#include "engine/job/benchmark.h"
#include "engine/job/job.h"
#include "engine/plan/planner.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::Call;
using test::DeviceDouble;

namespace {

job::JobResult run(const std::string& device, const std::string& method = "direct") {
    static const auto scene = std::make_shared<const job::SceneImage>(job::SceneImage{
        test::texture(base::PixelType::UInt16, {300, 200, 1}, 7), {}, "memory", {}, {}});
    job::Job job;
    job::JobImages images;
    images.scene = scene;
    job.crops = {{{120, 80, 0}, {12, 12, 1}}};
    job.device = device;
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.method = method;
    return job::runJob(job, images);
}

/// Two devices so slow that it pays to share.
void soundAgain() {
    DeviceDouble& device = test::deviceDouble();
    device.reset();
    device.start.devices = 2;
    device.about.processors = 1;
    device.about.gigahertz = 0.01;
}

} // namespace

/// Jobs of a program whose machine has two GPUs, which are stood in for.
class SeveralTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        soundAgain();
        cuda::Engine::standIn(&test::doubleTable());
    }
    void init() { soundAgain(); }

    void aJobForCudaRunsOnAllGpus() {
        for (const char* method : {"direct", "auto"}) {
            const job::JobResult all = run("cuda", method);
            QCOMPARE(all.report.run->device, std::string("cuda"));
            QCOMPARE(all.report.run->times->devices, 2);
            QVERIFY(all.notes.empty());
            QVERIFY(job::toText(all.report).find("on 2 devices") != std::string::npos);
            const job::JobResult cpu = run("cpu", method);
            QCOMPARE(all.peaks.size(), cpu.peaks.size());
            for (std::size_t i = 0; i < all.peaks.size(); ++i) {
                QVERIFY(all.peaks[i].corner == cpu.peaks[i].corner);
                QCOMPARE(all.peaks[i].score, cpu.peaks[i].score);
            }
        }
    }

    void aGpuByNumberRunsAlone() {
        const job::JobResult one = run("cuda:1");
        QCOMPARE(one.report.run->device, std::string("cuda:1"));
        QCOMPARE(one.report.run->times->devices, 1);
        const auto& calls = test::deviceDouble().callsOf;
        QCOMPARE(calls[0][static_cast<std::size_t>(Call::Direct)], std::int64_t{0});
    }

    void aBenchmarkNamesAllGpus() {
        if (test::kSanitized) {
            QSKIP("times under a sanitizer say nothing");
        }
        job::BenchmarkOptions options;
        options.problems = {{{164, 148, 1}, {5, 4, 1}}};
        options.device = "cuda";
        options.threads = 1;
        options.repeat = 1;
        const auto rows = job::benchmark(options, {}, [](const auto&) {});
        QCOMPARE(std::count_if(rows.begin(), rows.end(),
                               [](const job::BenchmarkRow& row) {
                                   return row.deviceName == "Double 0 + Double 1" &&
                                          row.candidate.device == "cuda";
                               }),
                 std::ptrdiff_t{2}); // direct and tiled
    }

    // The last, as it ends a device for the process.
    void aLostGpuGivesItsShareToTheOther() {
        DeviceDouble& device = test::deviceDouble();
        device.failing = 1;
        device.call = Call::Upload; // of the template, which every device needs
        device.turn = device.callsOf[1][static_cast<std::size_t>(Call::Upload)] + 1;
        device.result = DeviceDouble::kIllegalAddress;
        const job::JobResult all = run("cuda");
        QCOMPARE(all.report.run->device, std::string("cuda"));
        QCOMPARE(all.report.run->times->devices, 1);
        QCOMPARE(all.notes.size(), std::size_t{1});
        QVERIFY2(all.notes.front().find("cuda:1") != std::string::npos &&
                     all.notes.front().find("other GPUs did its share") != std::string::npos,
                 all.notes.front().c_str());
        QVERIFY(all.report.audit->verdict != job::AuditVerdict::Failed);
        // From then on there is one.
        const job::JobResult next = run("cuda");
        QCOMPARE(next.report.run->device, std::string("cuda:0"));
        const auto devices = plan::devices(plan::DeviceDetail::Names);
        QVERIFY(devices[1].usable && !devices[2].usable);
        QVERIFY(devices[2].reason.find("start the program again") != std::string::npos);
    }
};

const flcc::test::TestClass<SeveralTest> kSeveralTest;
#include "several_test.moc"
