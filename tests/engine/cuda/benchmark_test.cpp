#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/cuda/plugin/engine.h"
#include "engine/job/benchmark.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/test_class.h"
#include "tests/support/text.h"

using namespace flcc;
using test::Call;
using test::DeviceDouble;
using test::failAt;
using test::holds;

namespace {

std::vector<job::BenchmarkRow> timed(const job::BenchmarkOptions& options) {
    std::vector<job::BenchmarkRow> reported;
    const std::vector<job::BenchmarkRow> rows =
        job::benchmark(options, {}, [&](const job::BenchmarkRow& row) { reported.push_back(row); });
    if (reported.size() != rows.size()) {
        qFatal("not every row was told");
    }
    return rows;
}

job::BenchmarkOptions smallOnes(int problems) {
    job::BenchmarkOptions options;
    options.problems.assign(static_cast<std::size_t>(problems), {{64, 48, 1}, {5, 4, 1}});
    options.device = "cuda";
    options.threads = 1;
    options.repeat = 3;
    return options;
}

} // namespace

/// Times of a device that is stood in for.
class BenchmarkTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        test::deviceDouble().resetFast();
        cuda::Engine::standIn(&test::doubleTable());
    }
    void init() { test::deviceDouble().resetFast(); }

    void aBenchmarkNamesTheDeviceAndTellsTransfersApart() {
        job::BenchmarkOptions options = smallOnes(1);
        const std::vector<job::BenchmarkRow> rows = timed(options);
        QCOMPARE(rows.size(), std::size_t{3}); // direct, tiled, fourier
        const std::string head = job::benchmarkHead();
        for (const job::BenchmarkRow& row : rows) {
            QCOMPARE(row.deviceName, std::string("Double 0"));
            QCOMPARE(row.peakMultiplyAdds, 128.0 * 10000); // of all multiprocessors at 1 GHz
            QVERIFY(row.limits && row.limits->multiplyAdds > 0 && row.limits->bytes > 0);
            QVERIFY(row.transformsMs.has_value() == (row.candidate.method != "direct"));
            QVERIFY(row.transformsMs.value_or(1) > 0);
            QVERIFY(row.multiplyAdds() > 0);
            // 60x45 placements of 5x4; 4 bytes a pixel, 5 a placement.
            const double intensity = 20 * 60 * 45 / (4 * 64 * 48 + 5.0 * 60 * 45);
            QVERIFY(std::abs(*row.multiplyAddsOfMemory() / (row.limits->bytes * intensity) - 1) <
                    1e-12);
            QCOMPARE(row.streamMs.size(), std::size_t{3});
            QVERIFY(row.notRun.empty() && row.sound());
            std::vector<std::string> stages;
            for (const auto& [name, ms] : row.stagesMs) {
                stages.push_back(name);
                QVERIFY(ms >= 0);
            }
            for (const char* name : {"upload", "kernel", "download"}) {
                QVERIFY2(std::find(stages.begin(), stages.end(), name) != stages.end(), name);
            }
            const std::string line = job::toMarkdown(row);
            QVERIFY2(line.starts_with("| Double 0 (cuda:0) | 64x48 | float32 | 5x4 | "),
                     line.c_str());
            QCOMPARE(2 * std::count(line.begin(), line.end(), '|'),
                     std::count(head.begin(), head.end(), '|'));
        }

        options.problems.front().templates = 3;
        const auto isSound = [](const job::BenchmarkRow& row) {
            return row.notRun.empty() && row.sound() && row.problem.templates == 3;
        };
        const std::vector<job::BenchmarkRow> banks = timed(options);
        QVERIFY(banks.size() == 3 && std::all_of(banks.begin(), banks.end(), isSound));

        test::deviceDouble().wrong = 2e-4F;
        QVERIFY(!timed(options)[0].sound());
        test::deviceDouble().resetFast();
        failAt(Call::Allocate, 1, cuda::kOutOfMemory);
        const std::string refused = job::toMarkdown(timed(options)[0]);
        QVERIFY2(refused.find("| not run: device 'cuda:0' failed") != std::string::npos,
                 refused.c_str());
        QCOMPARE(2 * std::count(refused.begin(), refused.end(), '|'),
                 std::count(head.begin(), head.end(), '|'));
    }

    void whatIsFreeIsPlannedWith() {
        test::deviceDouble().freeBytes = std::int64_t{3} << 30;
        for (const job::BenchmarkRow& row : timed(smallOnes(1))) {
            QCOMPARE(row.candidate.onDevice.memory, std::int64_t{3} << 30);
        }
        QVERIFY(!job::crossovers({.device = "cuda:0", .threads = 1, .quick = true})
                     .front()
                     .methods.empty());
        test::deviceDouble().freeBytes = 1 << 20; // as good as nothing
        for (const job::BenchmarkRow& row : timed(smallOnes(1))) {
            QVERIFY2(holds(row.notRun, "are free"), row.notRun.c_str());
        }
        QVERIFY(job::crossovers({.device = "cuda:0", .threads = 1, .quick = true})
                    .front()
                    .methods.empty());
    }

    void aBoundAboveThePromiseIsNotSound() {
        test::deviceDouble().reported = 1;
        for (const job::BenchmarkRow& row : timed(smallOnes(1))) {
            QVERIFY(row.notRun.empty() && !row.sound());
        }
    }

    void aRowThatFailsLeavesTheOthers() {
        failAt(Call::MakeTransform, 1, DeviceDouble::kNoPlan, 100);
        const std::vector<job::BenchmarkRow> rows = timed(smallOnes(2));
        QCOMPARE(rows.size(), std::size_t{6});
        for (const job::BenchmarkRow& row : rows) {
            const bool direct = row.candidate.method == "direct";
            QCOMPARE(row.failed, !direct);
            QCOMPARE(row.notRun.empty(), direct);
            QVERIFY2(direct || holds(row.notRun, "cuFFT: internal error"), row.notRun.c_str());
            QCOMPARE(row.deviceName, std::string("Double 0"));
        }
        QVERIFY(holds(job::toJson(rows), "\"failed\": true"));
    }

    // The last, as it ends the device for the process.
    void aLostDeviceEndsItsRows() {
        failAt(Call::Await, 5, DeviceDouble::kIllegalAddress);
        job::BenchmarkOptions options = smallOnes(2);
        options.device = "auto";
        int ofGpu = 0;
        for (const job::BenchmarkRow& row : timed(options)) {
            if (row.candidate.device == "cpu") {
                QVERIFY(row.notRun.empty());
                continue;
            }
            ++ofGpu;
            QVERIFY(row.failed);
            QVERIFY2(holds(row.notRun, "the device is lost, its other rows were not run"),
                     row.notRun.c_str());
        }
        QCOMPARE(ofGpu, 1);
    }
};

const flcc::test::TestClass<BenchmarkTest> kBenchmarkTest;
#include "benchmark_test.moc"
