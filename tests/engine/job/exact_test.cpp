#include <QtTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/io/image_file.h"
#include "engine/job/steps/audit.h"
#include "engine/method/canonical.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/comparison.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;
using job::AuditVerdict;
using job::Job;
using Json = nlohmann::json;

namespace {

/// A scene of one bright stripe over weak noise, whose dim panels break the promise in float32.
job::JobImages hardImages() {
    base::AnyImage noise = test::noise(PixelType::Float32, {120, 110, 1}, 7);
    base::AnyImage scene =
        test::makeScene(PixelType::Float32, {120, 110, 1}, [&noise](const base::Index& at) {
            return at.y == 50 ? 1e5 : base::valueAt(base::viewOf(noise), at);
        });
    base::AnyImage templ = test::crop(scene, {{60, 80, 0}, {9, 8, 1}});
    return test::imagesOf(std::move(scene), std::move(templ));
}

Job tiledJob() {
    Job job;
    job.method = "tiled";
    job.tile = {128, 128, 1};
    job.audit = job::Audit::On;
    return job;
}

std::int64_t countOf(const job::JobResult& result, base::Status status) {
    return result.report.map->facts.statusCounts[static_cast<std::size_t>(status)];
}

/// An audit of `map`, which stands in for the map of `result`.
job::AuditReport auditOf(const job::JobImages& images, const job::JobResult& result,
                         const method::MatchMap& map, const std::vector<match::Peak>& peaks) {
    const base::AnyView scene = base::viewOf(images.scene->pixels);
    const method::SceneStatistics statistics =
        method::sceneStatistics(scene, base::extentsOf(images.templates[0]->pixels));
    return job::detail::audit({.scene = scene,
                               .templates = {base::viewOf(images.templates[0]->pixels)},
                               .problem = result.report.plan.problem,
                               .map = &map,
                               .facts = result.report.map->facts,
                               .peaks = peaks,
                               .lowest = statistics.lowest});
}

method::MatchMap copyOf(const method::MatchMap& map) {
    method::MatchMap copy(map.value.extents());
    std::copy_n(map.value.data(), map.value.count(), copy.value.data());
    std::copy_n(map.status.data(), map.status.count(), copy.status.data());
    return copy;
}

} // namespace

class JobExactTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void whatBreaksThePromiseIsRecomputedOrMarked();
    void aTighterPromiseRecomputesMore();
    void doublePrecisionGivesAMapInDouble_data();
    void doublePrecisionGivesAMapInDouble();
    void theMemoryOfAMapInDoubleIsForeseen();
    void aRegionIsARunOnThatPartAlone_data();
    void aRegionIsARunOnThatPartAlone();
    void aRegionLiesInTheSceneAndHoldsTheTemplate();
    void theTemplateMayBeCutOutsideTheRegion();
    void theReportNamesTheRegionAndTheShareRecomputed();
    void anHonestMapPassesTheAudit_data();
    void anHonestMapPassesTheAudit();
    void oneWrongPeakFailsTheAudit();
    void aWrongMapFailsTheAudit_data();
    void aWrongMapFailsTheAudit();
    void theAuditIsLeftOutWhenItIsDearOrNotWanted();
    void theVerdictStandsInEveryReport();
};

void JobExactTest::whatBreaksThePromiseIsRecomputedOrMarked() {
    const job::JobImages images = hardImages();
    Job job = tiledJob();
    const job::JobResult repaired = job::runJob(job, images);
    QVERIFY(repaired.report.map->facts.recomputed > 0);
    QCOMPARE(countOf(repaired, base::Status::LowConf), std::int64_t{0});
    QVERIFY(repaired.report.map->facts.largestBound <= job.promise);
    job.recompute = false;
    const job::JobResult marked = job::runJob(job, images);
    QCOMPARE(marked.report.map->facts.recomputed, std::int64_t{0});
    QVERIFY(countOf(marked, base::Status::LowConf) > 0);
    QCOMPARE(repaired.report.audit->verdict, AuditVerdict::Passed);
    QCOMPARE(marked.report.audit->verdict, AuditVerdict::Passed);
}

void JobExactTest::aTighterPromiseRecomputesMore() {
    const job::JobImages images = hardImages();
    Job job = tiledJob();
    job.recompute = false;
    std::int64_t before = 0;
    for (const double promise : {1.0, 1e-4, 1e-6}) {
        job.promise = promise;
        const job::JobResult result = job::runJob(job, images);
        QVERIFY(countOf(result, base::Status::LowConf) >= before);
        QVERIFY(result.report.map->facts.largestBound <= promise);
        before = countOf(result, base::Status::LowConf);
    }
    QVERIFY(before > 0);
    job.promise = 0;
    QCOMPARE(test::thrownBy([&] { (void)job::runJob(job, images); }).code, ErrorCode::CommandLine);
}

void JobExactTest::doublePrecisionGivesAMapInDouble_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("mha") << "map.mha";
    QTest::newRow("nrrd") << "map.nrrd";
    QTest::newRow("tif") << "map.tif";
}

void JobExactTest::doublePrecisionGivesAMapInDouble() {
    QFETCH(QString, name);
    const test::Folder folder;
    const job::JobImages images = hardImages();
    Job job = tiledJob();
    job.precision = method::Precision::Double;
    job.map = folder.path(name.toStdString());
    const job::JobResult result = job::runJob(job, images);
    const io::LoadedImage map = io::readImage(job.map);
    QCOMPARE(map.info.pixel, PixelType::Float64);
    const auto& values = std::get<base::Image<double>>(map.components.front());
    QCOMPARE(std::memcmp(values.data(), result.map->exact.data(),
                         static_cast<std::size_t>(values.count()) * sizeof(double)),
             0);
    // Doubles, not floats written as such.
    QVERIFY(std::any_of(values.data(), values.data() + values.count(), [](double value) {
        return value != static_cast<double>(static_cast<float>(value));
    }));
    QVERIFY(result.report.audit->largestDeviation < 1e-9);
    QVERIFY((result.peaks.front().corner == base::Index{60, 80, 0}));
}

void JobExactTest::theMemoryOfAMapInDoubleIsForeseen() {
    // Buffers are those of the tile, and beside maps this large the template's spectrum in double
    // is always kept; what grows with the scene is the map.
    const auto growth = [](method::Precision precision) {
        Job job;
        job.method = "tiled";
        job.tile = {64, 64, 1};
        job.threads = 1;
        job.planning = plan::Planning::Estimate;
        job.precision = precision;
        const auto foreseen = [&](std::int64_t side) {
            base::AnyImage scene = test::noise(PixelType::Float32, {side, side, 1}, 7);
            base::AnyImage templ = test::crop(scene, {{20, 30, 0}, {9, 8, 1}});
            return job::planJob(job, test::imagesOf(std::move(scene), std::move(templ)))
                .plan.chosen()
                ->prediction->hostBytes;
        };
        return foreseen(1400) - foreseen(1300);
    };
    constexpr std::int64_t kVoxels = 1392 * 1393 - 1292 * 1293;
    QCOMPARE(growth(method::Precision::Single), 5 * kVoxels);
    QCOMPARE(growth(method::Precision::Double), 13 * kVoxels);
}

void JobExactTest::aRegionIsARunOnThatPartAlone_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("volume");
    for (const char* method : {"direct", "tiled"}) {
        QTest::addRow("%s image", method) << method << false;
        QTest::addRow("%s volume", method) << method << true;
    }
}

void JobExactTest::aRegionIsARunOnThatPartAlone() {
    QFETCH(QString, method);
    QFETCH(bool, volume);
    const std::int64_t depth = volume ? 14 : 1;
    const std::int64_t thick = volume ? 3 : 1;
    const base::Index corner{21, 17, volume ? 2 : 0};
    const base::Box region{corner, {50, 44, volume ? 9 : 1}};
    base::Geometry geometry;
    geometry.origin = {10, 20, 30};
    geometry.spacing = {0.5, 2, 3};
    base::AnyImage scene = test::noise(PixelType::Float32, {90, 80, depth}, 5);
    base::AnyImage part = test::crop(scene, region);
    base::AnyImage templ = test::crop(scene, {{40, 30, volume ? 4 : 0}, {9, 8, thick}});
    // What lies outside may be anything, as nothing reads it.
    for (std::int64_t x = 0; x < 90; ++x) {
        test::setVoxel(scene, {x, 16, 0}, std::numeric_limits<double>::quiet_NaN());
        test::setVoxel(scene, {x, 61, depth - 1}, std::numeric_limits<double>::infinity());
    }
    base::AnyImage sameTempl = test::crop(templ, {{0, 0, 0}, {9, 8, thick}});
    Job job;
    job.method = method.toStdString();
    job.minScore = 0.2;
    job.planning = plan::Planning::Estimate;
    const job::JobResult alone =
        job::runJob(job, test::imagesOf(std::move(part), std::move(sameTempl), geometry));
    job.region = region;
    const job::JobResult result =
        job::runJob(job, test::imagesOf(std::move(scene), std::move(templ), geometry));
    QCOMPARE(test::firstDifferentBit(*result.map, *alone.map), std::string());
    QVERIFY(result.mapCorner == corner);
    QVERIFY(result.report.plan.chosen()->prediction->ms ==
            alone.report.plan.chosen()->prediction->ms);
    QVERIFY(result.peaks.size() > 1);
    QCOMPARE(result.peaks.size(), alone.peaks.size());
    QVERIFY((result.peaks.front().corner == base::Index{40, 30, volume ? 4 : 0}));
    for (std::size_t i = 0; i < result.peaks.size(); ++i) {
        const match::Peak& peak = result.peaks[i];
        QCOMPARE(peak.score, alone.peaks[i].score);
        QCOMPARE(peak.corner.x, alone.peaks[i].corner.x + corner.x);
        QCOMPARE(peak.corner.y, alone.peaks[i].corner.y + corner.y);
        QCOMPARE(peak.corner.z, alone.peaks[i].corner.z + corner.z);
        QCOMPARE(peak.world, base::toWorld(geometry, peak.centre));
        // Added up in the order of a run without a region.
        QCOMPARE(peak.centre[1],
                 static_cast<double>(peak.corner.y) + 3.5 + alone.peaks[i].shift[1]);
    }
    const base::Point first{21 + 4.0, 17 + 3.5, volume ? 2 + 1.0 : 0.0};
    QCOMPARE(result.mapGeometry.origin, base::toWorld(geometry, first));
}

void JobExactTest::aRegionLiesInTheSceneAndHoldsTheTemplate() {
    const job::JobImages images = hardImages();
    const auto failureOf = [&](const base::Box& region) {
        Job job;
        job.region = region;
        return test::thrownBy([&] { (void)job::runJob(job, images); });
    };
    const std::vector<std::pair<base::Box, const char*>> wrong{
        {{{100, 0, 0}, {21, 50, 1}}, "120x110x1"}, {{{-1, 0, 0}, {50, 50, 1}}, "120x110x1"},
        {{{0, 0, 1}, {50, 50, 1}}, "120x110x1"},   {{{0, 0, 0}, {8, 50, 1}}, "9x8x1"},
        {{{0, 0, 0}, {50, 7, 1}}, "9x8x1"},
    };
    for (const auto& [region, named] : wrong) {
        const test::Thrown thrown = failureOf(region);
        QCOMPARE(thrown.code, ErrorCode::Problem);
        QVERIFY2(thrown.sentence.find(named) != std::string::npos, thrown.sentence.c_str());
        QVERIFY2(thrown.sentence.find("region") != std::string::npos, thrown.sentence.c_str());
    }
    Job least;
    least.region = base::Box{{60, 80, 0}, {9, 8, 1}};
    const job::JobResult one = job::runJob(least, images);
    QCOMPARE(one.map->value.count(), std::int64_t{1});
    QVERIFY((one.peaks.front().corner == base::Index{60, 80, 0}));
}

void JobExactTest::theTemplateMayBeCutOutsideTheRegion() {
    job::JobImages images = hardImages();
    images.templates.clear();
    Job job;
    job.crops = {base::Box{{3, 3, 0}, {9, 8, 1}}};
    job.region = base::Box{{60, 60, 0}, {40, 40, 1}};
    job.minScore = -1;
    const job::JobResult result = job::runJob(job, images);
    QVERIFY((result.map->value.extents() == base::Extents{32, 33, 1}));
    for (const match::Peak& peak : result.peaks) {
        QVERIFY(base::contains({100, 100, 1}, {peak.corner, {9, 8, 1}}));
        QVERIFY(peak.corner.x >= 60 && peak.corner.y >= 60);
    }
}

void JobExactTest::theReportNamesTheRegionAndTheShareRecomputed() {
    Job job = tiledJob();
    job.region = base::Box{{10, 20, 0}, {100, 80, 1}};
    const job::JobReport report = job::runJob(job, hardImages()).report;
    const Json json = Json::parse(job::toJson(report));
    QVERIFY((json["problem"]["scene"] == Json{120, 110, 1}));
    QVERIFY((json["problem"]["region"]["corner"] == Json{10, 20, 0}));
    QVERIFY((json["problem"]["region"]["extents"] == Json{100, 80, 1}));
    QCOMPARE(json["problem"]["precision"].get<std::string>(), std::string("single"));
    QVERIFY(json["problem"]["recompute"].get<bool>());
    const double share = json["map"]["recomputed_share"].get<double>();
    QVERIFY(share > 0 && share <= 1);
    QCOMPARE(share, static_cast<double>(report.map->facts.recomputed) / (92.0 * 73.0));
    const QString text = QString::fromStdString(job::toText(report));
    QVERIFY2(text.contains("Region    10,20,0:100,80,1"), qPrintable(text));
    QVERIFY2(
        text.contains("recomputed in double: " + QString::number(report.map->facts.recomputed)),
        qPrintable(text));
}

void JobExactTest::anHonestMapPassesTheAudit_data() {
    QTest::addColumn<base::PixelType>("type");
    QTest::addColumn<QString>("method");
    for (const PixelType type : {PixelType::UInt8, PixelType::Int64, PixelType::Float32}) {
        for (const char* method : {"direct", "tiled"}) {
            QTest::addRow("%s %s", method, std::string(base::name(type)).c_str()) << type << method;
        }
    }
}

void JobExactTest::anHonestMapPassesTheAudit() {
    QFETCH(base::PixelType, type);
    QFETCH(QString, method);
    base::AnyImage scene = test::noise(type, {90, 80, 1}, 4);
    // Flat panels are checked too.
    test::paste(scene, test::makeScene(type, {40, 40, 1}, [](const base::Index&) { return 3; }),
                {45, 35, 0});
    base::AnyImage templ = test::crop(scene, {{20, 20, 0}, {9, 8, 1}});
    Job job;
    job.method = method.toStdString();
    job.audit = job::Audit::On;
    job.minScore = 0.2;
    job.invert = true;
    const job::JobResult result =
        job::runJob(job, test::imagesOf(std::move(scene), std::move(templ)));
    QVERIFY(countOf(result, base::Status::Flat) > 0);
    const job::AuditReport& audit = *result.report.audit;
    QVERIFY2(audit.verdict == AuditVerdict::Passed, audit.reason.c_str());
    QVERIFY(audit.checked >= 64 + 2 * static_cast<std::int64_t>(result.peaks.size()) + 32);
    QVERIFY(audit.largestDeviation > 0); // float32 against double
    QVERIFY(audit.largestOverBound <= 1 && audit.medianOverBound <= audit.largestOverBound);
    QVERIFY(!job::auditFailure(result.report));
}

void JobExactTest::oneWrongPeakFailsTheAudit() {
    const job::JobImages images = hardImages();
    const job::JobResult result = job::runJob(tiledJob(), images);
    std::vector<match::Peak> peaks = result.peaks;
    QCOMPARE(auditOf(images, result, *result.map, peaks).verdict, AuditVerdict::Passed);
    peaks.front().score -= 1e-6; // the bound of a peak is about 1e-14
    const job::AuditReport audit = auditOf(images, result, *result.map, peaks);
    QCOMPARE(audit.verdict, AuditVerdict::Failed);
    QVERIFY2(audit.reason.find("60,80,0") != std::string::npos, audit.reason.c_str());
    QVERIFY(std::abs(audit.largestDeviation - 1e-6) < 1e-12);
}

void JobExactTest::aWrongMapFailsTheAudit_data() {
    QTest::addColumn<double>("error");
    QTest::newRow("just above the promise") << 3e-4;
    QTest::newRow("far off") << 0.5;
    QTest::newRow("no number") << std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("no status") << 0.0;
}

void JobExactTest::aWrongMapFailsTheAudit() {
    QFETCH(double, error);
    const job::JobImages images = hardImages();
    const job::JobResult result = job::runJob(tiledJob(), images);
    method::MatchMap wrong = copyOf(*result.map);
    for (std::int64_t i = 0; i < wrong.value.count(); ++i) {
        if (error == 0) {
            wrong.status.data()[i] = base::Status::Flat;
            wrong.value.data()[i] = 0;
        } else {
            wrong.value.data()[i] += static_cast<float>(error);
        }
    }
    const job::AuditReport audit = auditOf(images, result, wrong, {});
    QCOMPARE(audit.verdict, AuditVerdict::Failed);
    QVERIFY(!audit.reason.empty());
    QCOMPARE(audit.wrongStatus > 0, error == 0);
    QCOMPARE(audit.largestOverBound > 1, error != 0);
    job::JobReport report = result.report;
    report.audit = audit;
    const auto failure = job::auditFailure(report);
    QVERIFY(failure.has_value());
    QCOMPARE(failure->code(), ErrorCode::Internal);
    QVERIFY(std::string(failure->what()).find(audit.reason) != std::string::npos);
    QCOMPARE(Json::parse(job::toJson(report))["audit"]["verdict"].get<std::string>(),
             std::string("failed"));
    QVERIFY(job::toText(report).find("Audit: failed; ") != std::string::npos);
}

void JobExactTest::theAuditIsLeftOutWhenItIsDearOrNotWanted() {
    const job::JobImages images = hardImages();
    Job job = tiledJob();
    job.audit = job::Audit::Auto; // a run of a millisecond
    const job::AuditReport small = *job::runJob(job, images).report.audit;
    QCOMPARE(small.verdict, AuditVerdict::Off);
    QVERIFY2(small.reason.find("2 %") != std::string::npos, small.reason.c_str());
    job.audit = job::Audit::Off;
    QCOMPARE(job::runJob(job, images).report.audit->reason, std::string("switched off"));

    const job::JobResult result = job::runJob(tiledJob(), images);
    const std::vector<base::Index> none;
    const job::detail::AuditInput input{.scene = base::viewOf(images.scene->pixels),
                                        .templates = {base::viewOf(images.templates[0]->pixels)},
                                        .problem = result.report.plan.problem,
                                        .map = result.map.get(),
                                        .facts = result.report.map->facts,
                                        .peaks = result.peaks,
                                        .lowest = none};
    QVERIFY(!job::detail::auditRefusal(job::Audit::Auto, input, 1000));
    QVERIFY(job::detail::auditRefusal(job::Audit::Auto, input, 0.1));
    QVERIFY(!job::detail::auditRefusal(job::Audit::On, input, 0.1));
    QVERIFY(job::detail::auditRefusal(job::Audit::Off, input, 1000));
}

void JobExactTest::theVerdictStandsInEveryReport() {
    const test::Folder folder;
    Job job = tiledJob();
    job.peaks = folder.path("peaks.csv");
    job.report = folder.path("report.json");
    const job::JobResult result = job::runJob(job, hardImages());
    const job::AuditReport& audit = *result.report.audit;
    const Json json = Json::parse(test::bytesOf(job.report))["audit"];
    QCOMPARE(json["verdict"].get<std::string>(), std::string("passed"));
    QCOMPARE(json["checked"].get<std::int64_t>(), audit.checked);
    QCOMPARE(json["largest_deviation"].get<double>(), audit.largestDeviation);
    QCOMPARE(json["largest_over_bound"].get<double>(), audit.largestOverBound);
    QCOMPARE(json["median_over_bound"].get<double>(), audit.medianOverBound);
    QVERIFY(test::bytesOf(job.peaks).find("\n# audit: passed; ") != std::string::npos);
    QVERIFY(job::toText(result.report).find("Audit: passed; ") != std::string::npos);
}

const flcc::test::TestClass<JobExactTest> kJobExactTest;
#include "exact_test.moc"
