#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/io/atomic_file.h"
#include "engine/job/report/machine.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;
using Json = nlohmann::json;

namespace {

job::JobReport ranReport() {
    base::AnyImage scene = test::noise(PixelType::UInt8, {120, 100, 1}, 5);
    base::AnyImage templ = test::crop(scene, {{30, 20, 0}, {9, 8, 1}});
    return job::runJob({}, test::imagesOf(std::move(scene), std::move(templ))).report;
}

void requireKeys(const Json& json, const std::vector<const char*>& keys) {
    for (const char* key : keys) {
        QVERIFY2(json.contains(key), key);
    }
}

} // namespace

class JobReportTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theLimitOfEveryControlGroupAboveCounts();
    void decodersHaveALimitWithoutMemoryOption();
    void theReportHasTheStatedKeys();
    void aPlanReportHasNoRun();
    void thePredictionIsThatOfTheSample();
    void theChosenCandidateIsReadBack();
    void whatIsNoReportIsRefused_data();
    void whatIsNoReportIsRefused();
    void aPathThatIsNoUtf8DoesNotBreakTheReport();
    void theTextNamesEveryCandidate();
    void theFormOfATemplateIsReported();
    void theEnvironmentIsNamed();
};

void JobReportTest::decodersHaveALimitWithoutMemoryOption() {
    QCOMPARE(job::detail::bufferLimit(5), std::int64_t{5});
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    const std::int64_t usual = job::detail::bufferLimit(0);
    QVERIFY(usual >= kGiB);
    // Other programs take and free memory meanwhile; twice as much is never an eighth.
    QVERIFY(usual <= std::max(kGiB, job::detail::availableMemory() / 4));
}

void JobReportTest::theReportHasTheStatedKeys() {
    const job::JobReport report = ranReport();
    const Json json = Json::parse(job::toJson(report));
    requireKeys(json, {"problem", "candidates", "chosen", "run", "map", "audit", "peaks",
                       "environment", "inputs", "known", "critical_template_size"});
    const std::vector<const char*> candidate{
        "method",          "device",        "tile",         "verdict",
        "reason",          "operations",    "predicted_ms", "measured_ms",
        "host_bytes",      "device_bytes",  "error_bound",  "fft_planning",
        "tiles_in_flight", "padding_waste", "parts",        "transforms"};
    QVERIFY(!json["candidates"].empty());
    for (const Json& row : json["candidates"]) {
        requireKeys(row, candidate);
    }
    QVERIFY(json["chosen"] == json["candidates"][0]);
    QCOMPARE(json["chosen"]["verdict"].get<std::string>(), std::string("chosen"));
    const Json& run = json["run"];
    requireKeys(run, {"execute_ms", "stream_ms", "planning_ms", "read_ms", "write_ms", "stages_ms",
                      "peak_host_bytes", "threads", "device"});
    double shares = 0;
    for (const auto& [stage, share] : run["stage_shares"].items()) {
        shares += share.get<double>();
    }
    QVERIFY(run["stage_shares"].contains("peaks") && std::abs(shares - 1) < 1e-12);
    for (const char* spread : {"execute_ms", "stream_ms"}) {
        requireKeys(run[spread], {"min", "median", "max"});
    }
    requireKeys(json["map"], {"min", "max", "mean", "std", "status", "over_range", "recomputed",
                              "bound_median"});
    QCOMPARE(json["map"].value("bound_kind", ""), std::string("empirical"));
    for (const char* status : {"OK", "FLAT", "NONFINITE", "PARTIAL", "LOWCONF", "NOT_COMPUTED"}) {
        QVERIFY2(json["map"]["status"][status].is_number_integer(), status);
    }
    QCOMPARE(json["peaks"].size(), report.peaks.size());
    QCOMPARE(json["peaks"][0]["rank"].get<int>(), 1);
    QCOMPARE(json["peaks"][0]["score"].get<double>(), report.peaks[0].score);
    QVERIFY((json["peaks"][0]["corner"] == Json{30, 20, 0}));
    QCOMPARE(json["inputs"].size(), std::size_t{2});
    QVERIFY(json["inputs"][0]["sha256"].is_null());
    requireKeys(json["environment"],
                {"versions", "processor", "instructions", "devices", "calibrated"});
}

void JobReportTest::aPlanReportHasNoRun() {
    base::AnyImage scene = test::noise(PixelType::UInt8, {120, 100, 1}, 5);
    base::AnyImage templ = test::crop(scene, {{30, 20, 0}, {9, 8, 1}});
    const job::JobReport report =
        job::planJob({}, test::imagesOf(std::move(scene), std::move(templ)));
    const Json json = Json::parse(job::toJson(report));
    QVERIFY(json["run"].is_null() && json["map"].is_null() && json["peaks"].empty());
    QVERIFY(json["chosen"].is_object());
    QVERIFY(json["chosen"]["predicted_ms"].is_number());
}

// What the samples said is what was predicted, in every part of the report.
void JobReportTest::thePredictionIsThatOfTheSample() {
    job::JobReport report = ranReport();
    plan::CandidateReport& chosen = report.plan.candidates[0];
    chosen.prediction->ms = 1234;
    chosen.sampleMs = 4321;
    chosen.prediction->onDevice.times =
        method::DeviceTimes{.setup = 1, .upload = 22.25, .compute = 33.5, .download = 44.75};
    const std::string text = job::toText(report);
    QVERIFY2(text.find(" ms, predicted 4321 ms") != std::string::npos, text.c_str());
    QVERIFY2(text.find("  4321      1234  ") != std::string::npos, text.c_str());
    QVERIFY2(text.find("upload ms  compute ms  download ms") != std::string::npos, text.c_str());
    QVERIFY2(text.find("22.25       33.50        44.75") != std::string::npos, text.c_str());
    QCOMPARE(Json::parse(job::toJson(report))["chosen"]["expected_ms"].get<double>(), 4321.0);
    QVERIFY(text.find("is uploaded for each template") == std::string::npos);
    chosen.prediction->onDevice.times->uploads = 3;
    QVERIFY(job::toText(report).find("the scene is uploaded for each template") !=
            std::string::npos);
    chosen.prediction->onDevice.times.reset();
    QVERIFY(job::toText(report).find("upload ms") == std::string::npos);
}

void JobReportTest::theChosenCandidateIsReadBack() {
    const test::Folder folder;
    job::JobReport report = ranReport();
    const std::string file = folder.path("report.json").string();
    report.plan.candidates[0].candidate = {"tiled", "cpu", {96, 64, 1}, 3};
    io::writeText(file, job::toJson(report));
    QVERIFY((job::chosenCandidate(file) == method::Candidate{"tiled", "cpu", {96, 64, 1}, 3}));
    for (const auto transforms : {method::Transforms::Own, method::Transforms::Fftw}) {
        report.plan.candidates[0].candidate.transforms = transforms;
        io::writeText(file, job::toJson(report));
        QVERIFY(job::chosenCandidate(file) == report.plan.candidates[0].candidate);
    }
    report.plan.candidates[0].verdict = plan::CandidateVerdict::Refused;
    io::writeText(file, job::toJson(report));
    QCOMPARE(test::thrownBy([&] { (void)job::chosenCandidate(file); }).code, ErrorCode::Input);
}

void JobReportTest::whatIsNoReportIsRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("no JSON") << QByteArray("plan");
    QTest::newRow("no object") << QByteArray("[1, 2]");
    QTest::newRow("nothing chosen") << QByteArray(R"({"chosen": null})");
    QTest::newRow("no method") << QByteArray(R"({"chosen": {"device": "cpu"}})");
    QTest::newRow("method is a number")
        << QByteArray(R"({"chosen": {"method": 1, "device": "cpu", "tile": [1, 1, 1]}})");
    QTest::newRow("short tile") << QByteArray(
        R"({"chosen": {"method": "direct", "device": "cpu", "tile": [1]}})");
    const auto chosen = [](const QByteArray& more) {
        return QByteArray(R"({"chosen": {"method": "direct", "device": "cpu", "tile": [1, 1, 1])") +
               more + "}}";
    };
    QTest::newRow("misspelt key") << chosen(R"(, "thread": 3)");
    QTest::newRow("threads is a text") << chosen(R"(, "threads": "3")");
    QTest::newRow("negative parts") << chosen(R"(, "parts": -2)");
    QTest::newRow("unknown transforms") << chosen(R"(, "transforms": "mkl")");
    QTest::newRow("parts are a text") << chosen(R"(, "parts": "2")");
    QTest::newRow("long key") << chosen(", \"" + QByteArray(100000, 'k') + "\": 3");
    QByteArray scenes;
    QByteArray closed;
    for (int i = 0; i < 100000; ++i) {
        scenes += R"({"scenes":[)";
        closed += "]}";
    }
    QTest::newRow("deep") << scenes + "{}" + closed;
    QTest::newRow("no threads") << QByteArray(
        R"({"chosen": {"method": "direct", "device": "cpu", "tile": [1, 1, 1], "threads": 0}})");
    QTest::newRow("far too many threads") << QByteArray(
        R"({"chosen": {"method": "direct", "device": "cpu", "tile": [1, 1, 1], "threads": 99999}})");
}

void JobReportTest::whatIsNoReportIsRefused() {
    QFETCH(QByteArray, text);
    const test::Folder folder;
    io::writeText(folder.path("report.json"), text.toStdString());
    const test::Thrown thrown =
        test::thrownBy([&] { (void)job::chosenCandidate(folder.path("report.json").string()); });
    QCOMPARE(thrown.code, ErrorCode::Input);
    QVERIFY(thrown.sentence.find("report.json") != std::string::npos);
    QVERIFY(thrown.sentence.size() < 600);
    QCOMPARE(thrown.sentence.find("nested more than 100 deep") != std::string::npos,
             QByteArray(QTest::currentDataTag()) == "deep");
    QCOMPARE(test::thrownBy([&] { (void)job::chosenCandidate("missing.json"); }).code,
             ErrorCode::Input);
}

void JobReportTest::aPathThatIsNoUtf8DoesNotBreakTheReport() {
    job::JobReport report;
    report.inputs = {{"scene", "\xff\xfe.mha", ""}};
    QVERIFY(!Json::parse(job::toJson(report))["inputs"].empty());
}

void JobReportTest::theTextNamesEveryCandidate() {
    job::JobReport report = ranReport();
    report.plan.candidates.push_back({.candidate = {"tiled", "cpu", {8, 8, 1}, 1},
                                      .verdict = plan::CandidateVerdict::Refused,
                                      .reason = "tile 8x8x1 is smaller than template 9x8x1",
                                      .prediction = std::nullopt,
                                      .measuredMs = std::nullopt,
                                      .sampleMs = std::nullopt});
    const QString text = QString::fromStdString(job::toText(report));
    for (const plan::CandidateReport& row : report.plan.candidates) {
        QVERIFY(text.contains(QString::fromStdString(row.reason)));
    }
    QVERIFY(text.contains("120x100 uint8"));
    QVERIFY(text.contains("predicted"));
    for (const QString& line : text.split('\n')) {
        QVERIFY2(!line.endsWith(' '), qPrintable(line));
    }
    const QString summary = QString::fromStdString(job::toSummary(report));
    QVERIFY(summary.contains("1.0000"));
    QVERIFY(summary.contains("on cpu"));
}

// A bar of 200 on 20, and a part of noise.
void JobReportTest::theFormOfATemplateIsReported() {
    const auto run = [](base::AnyImage templ, const char* method) {
        job::Job job;
        job.method = method;
        job.audit = job::Audit::On;
        return job::runJob(
            job, test::imagesOf(test::noise(PixelType::UInt8, {120, 100, 1}, 5), std::move(templ)));
    };
    const auto bar = test::makeScene(PixelType::UInt8, {9, 8, 1}, [](const base::Index& i) {
        return i.x > 2 && i.x < 6 && i.y > 1 ? 200 : 20;
    });
    const job::JobReport found = run(base::copyOf(base::viewOf(bar)), "separable").report;
    const Json templ = Json::parse(job::toJson(found))["templates"][0];
    QVERIFY(std::abs(templ["level"].get<double>() - 20) < 1e-10);
    QVERIFY(templ["residual"].get<double>() < 1e-14);
    QVERIFY(found.run && found.audit->verdict == job::AuditVerdict::Passed);
    QVERIFY(job::toText(found).find("9x8 uint8, separable about 20 (residual ") !=
            std::string::npos);

    const job::JobReport other = run(test::noise(PixelType::UInt8, {9, 8, 1}, 6), "auto").report;
    const Json report = Json::parse(job::toJson(other));
    QVERIFY(report["templates"][0]["residual"].get<double>() > 0.1);
    QVERIFY(job::toText(other).find("separable about") == std::string::npos);
    const auto refused = std::find_if(report["candidates"].begin(), report["candidates"].end(),
                                      [](const Json& row) { return row["method"] == "separable"; });
    QVERIFY(refused != report["candidates"].end());
    QCOMPARE((*refused)["verdict"].get<std::string>(), std::string("refused"));
    QVERIFY((*refused)["reason"].get<std::string>().find("residual 0.") != std::string::npos);
}

void JobReportTest::theEnvironmentIsNamed() {
    const job::Environment environment = job::environment();
    QVERIFY(!environment.processor.empty());
    QVERIFY(!environment.instructions.empty());
    QVERIFY(environment.devices.size() >= 2);
    QStringList libraries;
    for (const auto& [library, version] : environment.versions) {
        libraries << QString::fromStdString(library);
        QVERIFY2(!version.empty(), library.c_str());
    }
    for (const char* library : {"flcc", "FFTW", "Highway", "images"}) {
        QVERIFY2(libraries.contains(library), library);
    }
}

void JobReportTest::theLimitOfEveryControlGroupAboveCounts() {
    const test::Folder folder;
    const auto root = folder.path("cgroup");
    const auto group = [&](const std::string& name, const std::string& limit, int used) {
        std::filesystem::create_directories(root / name);
        io::writeText(root / name / "memory.max", limit + "\n");
        io::writeText(root / name / "memory.current", std::to_string(used) + "\n");
    };
    const auto file = folder.path("self");
    const auto left = [&](const std::string& line) {
        io::writeText(file, line);
        return job::detail::groupMemory(file, root);
    };
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    QCOMPARE(left("0::/user.slice/a.scope\n"), kNone);
    group("user.slice", "5000", 1000);
    group("user.slice/a.scope", "max", 700);
    group("user.slice/b.scope", "2000", 700);
    group("user.slice/c.scope", "2000", 2700);
    QCOMPARE(left("0::/user.slice/a.scope\n"), std::int64_t{4000});
    QCOMPARE(left("0::/user.slice/b.scope\n"), std::int64_t{1300});
    QCOMPARE(left("0::/user.slice/c.scope\n"), std::int64_t{0});
    QCOMPARE(left("0::/\n"), kNone);
    // Beside groups of version 1, and out of a name space.
    QCOMPARE(left("5:cpu:/x\n0::/user.slice/b.scope\n"), std::int64_t{1300});
    QCOMPARE(left("0::/../../user.slice/b.scope\n"), std::int64_t{1300});
    QCOMPARE(left("nothing of the kind\n"), kNone);
    // A container sees its own group as the root.
    io::writeText(root / "memory.max", "900\n");
    io::writeText(root / "memory.current", "100\n");
    QCOMPARE(left("0::/\n"), std::int64_t{800});
    QCOMPARE(left("0::/user.slice/b.scope\n"), std::int64_t{800});
}

const flcc::test::TestClass<JobReportTest> kJobReportTest;
#include "report_test.moc"
