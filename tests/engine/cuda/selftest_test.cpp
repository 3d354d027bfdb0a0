#include <QtTest>

#include <algorithm>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/cuda/plugin/engine.h"
#include "engine/selftest/self_test.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/test_class.h"

using namespace flcc;
using selftest::Row;
using test::DeviceDouble;

namespace {

selftest::Report run(const std::string& device, std::vector<std::string> cases,
                     std::vector<std::string> instructionSets = {}) {
    selftest::Options options;
    options.cases = std::move(cases);
    options.instructionSets = std::move(instructionSets);
    options.threads = 1;
    options.methods = plan::methodsOn(device);
    return selftest::runSelfTest(options);
}

std::set<std::string> devicesOf(const selftest::Report& report) {
    std::set<std::string> devices;
    for (const Row& row : report.rows) {
        devices.insert(row.device);
    }
    return devices;
}

int runsOf(const selftest::Report& report, const std::string& device) {
    int runs = 0;
    for (const Row& row : report.rows) {
        runs += row.device == device ? row.runs : 0;
    }
    return runs;
}

base::ErrorCode codeFor(const std::string& device) {
    try {
        (void)plan::methodsOn(device);
    } catch (const base::Error& error) {
        return error.code();
    }
    return base::ErrorCode::Internal;
}

} // namespace

/// The self-test on a machine with two GPUs, which are stood in for.
class CudaSelfTestTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        test::deviceDouble().start.devices = 2;
        cuda::Engine::standIn(&test::doubleTable());
        QCOMPARE(cuda::Engine::ofProcess().devices().size(), std::size_t{2});
    }
    void init() { test::deviceDouble().reset(); }

    void aDeviceHasItsOwnMethods() {
        const auto on = [](const std::string& device) {
            std::set<std::string> found;
            for (const method::Method* method : plan::methodsOn(device)) {
                found.emplace(method->device());
            }
            return found;
        };
        QCOMPARE(on("cpu"), std::set<std::string>{"cpu"});
        // "cuda" are both of them together.
        QCOMPARE(on("cuda"), (std::set<std::string>{"cuda", "cuda:0", "cuda:1"}));
        QCOMPARE(on("cuda:1"), std::set<std::string>{"cuda:1"});
        QCOMPARE(plan::methodsOn("auto"), plan::methods());
        QCOMPARE(codeFor("cuda:2"), base::ErrorCode::Device);
    }

    /// All cases are run by the test of the window's dialog.
    void casesOfAGpuPass() {
        const selftest::Report report = run("cuda:0", {"constant", "axes"});
        QVERIFY2(report.passed(), selftest::toText(report).c_str());
        QCOMPARE(devicesOf(report), std::set<std::string>{"cuda:0"});
    }

    void rowsTellDevicesApart() {
        const selftest::Report report = run("auto", {"anchor"});
        QVERIFY2(report.passed(), selftest::toText(report).c_str());
        QCOMPARE(devicesOf(report), (std::set<std::string>{"cpu", "cuda", "cuda:0", "cuda:1"}));
        const auto direct = std::count_if(report.rows.begin(), report.rows.end(), [](const Row& r) {
            return r.method == "direct" && r.precision == method::Precision::Single;
        });
        QCOMPARE(direct, std::ssize(plan::instructionSets()) + 3);
        // Instructions of the processor are nothing to a GPU: it runs once.
        for (const Row& row : report.rows) {
            QCOMPARE(row.instructionSet.empty(), row.device != "cpu");
        }
        const std::vector<std::string> one{plan::instructionSets().back()};
        QVERIFY(runsOf(report, "cuda:0") > 0);
        QCOMPARE(runsOf(report, "cuda:0"), runsOf(run("cuda:0", {"anchor"}, one), "cuda:0"));
        const std::string text = selftest::toText(report);
        for (const char* words :
             {"anchor          cpu ", "anchor          cuda:0 ", "cuda:0: Double 0\n"}) {
            QVERIFY2(text.find(words) != std::string::npos, text.c_str());
        }
        const auto json = nlohmann::json::parse(selftest::toJson(report));
        QCOMPARE(json.at("devices").at("cuda:0").get<std::string>(), std::string("Double 0"));
        QVERIFY(std::any_of(json.at("rows").begin(), json.at("rows").end(), [](const auto& row) {
            return row.at("device") == "cuda:0" && row.at("method") == "direct";
        }));
    }

    void onlyTheDeviceThatIsWrongFails() {
        test::deviceDouble().wrong = 2e-4F;
        const selftest::Report report = run("auto", {"anchor"});
        QVERIFY(!report.passed());
        for (const Row& row : report.rows) {
            QCOMPARE(row.fault.empty(), row.device == "cpu");
        }
        QVERIFY(selftest::toText(report).find("FAILED anchor, cuda:0: direct cuda:0") !=
                std::string::npos);
    }

    /// Last: a sticky error ends the use of the device for the process.
    void aDeviceThatFailsIsAFaultAndNoEnd() {
        DeviceDouble& device = test::deviceDouble();
        device.call = test::Call::Direct;
        device.turn = 1;
        device.result = DeviceDouble::kIllegalAddress;
        const selftest::Report report = run("auto", {"anchor", "copies"});
        QVERIFY(!report.passed());
        QVERIFY(!report.cancelled);
        const auto failed = std::find_if(report.rows.begin(), report.rows.end(),
                                         [](const Row& row) { return !row.fault.empty(); });
        QVERIFY(failed != report.rows.end());
        QCOMPARE(failed->device, std::string("cuda:0"));
        QVERIFY2(failed->fault.find("illegal memory access") != std::string::npos,
                 failed->fault.c_str());
        QVERIFY(runsOf(report, "cpu") > 0);
        QCOMPARE(codeFor("cuda:0"), base::ErrorCode::Device);
    }
};

const flcc::test::TestClass<CudaSelfTestTest> kCudaSelfTestTest;
#include "selftest_test.moc"
