#include <QtTest>

#include <nlohmann/json.hpp>

#include "engine/job/any_job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/schema_checker.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using Json = nlohmann::json;

namespace {

Json schema() { return test::schemaOf("report.schema.json"); }

job::JobImages images(const base::Extents& scene, const base::Extents& templ) {
    base::AnyImage image = test::noise(PixelType::UInt8, scene, 5);
    base::AnyImage cut = test::crop(image, {{3, 2, 0}, templ});
    return test::imagesOf(std::move(image), std::move(cut));
}

void compare(const std::string& report) {
    const std::string fault = test::SchemaChecker(schema()).fault(Json::parse(report));
    QVERIFY2(fault.empty(), fault.c_str());
}

} // namespace

class JobReportSchemaTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void reportsOfMatchesSatisfyIt_data();
    void reportsOfMatchesSatisfyIt();
    void plansSatisfyIt();
    void severalScenesAndStreamsSatisfyIt();
    void convolutionsAndBlobsSatisfyIt();
    void otherReportsDoNot();
};

void JobReportSchemaTest::reportsOfMatchesSatisfyIt_data() {
    QTest::addColumn<QString>("operation");
    test::Thinned some(3); // a validator is slow under a sanitizer
    for (const method::OperationTraits& traits : method::operationTable()) {
        if (!some.next()) {
            continue;
        }
        const QString name = QString::fromStdString(std::string(traits.name));
        QTest::newRow(qPrintable(name)) << name;
    }
}

void JobReportSchemaTest::reportsOfMatchesSatisfyIt() {
    QFETCH(QString, operation);
    const test::Folder folder;
    job::Job job;
    job.operation = *method::operationNamed(operation.toStdString());
    job.maxPeaks = 20;
    job.report = folder.path("report.json");
    job.exports.stack = folder.path("stack.mha");
    job.exports.average = folder.path("mean.mha");
    (void)job::runJob(job, images({60, 50, 1}, {7, 6, 1}));
    compare(test::bytesOf(job.report));
    job.exports = {};
    job.audit = job::Audit::On;
    job.precision = method::Precision::Double;
    job.region = base::Box{{2, 1, 0}, {40, 30, 1}};
    compare(job::toJson(job::runJob(job, images({60, 50, 1}, {7, 6, 1})).report));
    // Templates of one extent, and of several.
    auto several = images({60, 50, 1}, {7, 6, 1});
    several.templates.push_back(several.templates.front());
    job.region.reset();
    job.exports.average = folder.path("mean.mha");
    compare(job::toJson(job::runJob(job, several).report));
    auto other = std::make_shared<job::SceneImage>();
    other->pixels = test::noise(PixelType::UInt8, {5, 5, 1}, 3);
    several.templates.push_back(other);
    compare(job::toJson(job::runJob(job, several).report));
}

void JobReportSchemaTest::plansSatisfyIt() {
    job::Job job;
    compare(job::toJson(job::planJob(job, images({60, 50, 1}, {7, 6, 1}))));
    compare(job::toJson(job::planJob(job, images({30, 28, 20}, {7, 6, 5}))));
}

void JobReportSchemaTest::severalScenesAndStreamsSatisfyIt() {
    const test::Folder folder;
    const base::AnyImage stack = test::noise(PixelType::UInt8, {60, 50, 3}, 5);
    (void)io::writeImage(folder.path("a.mha"), base::viewOf(stack), {});
    (void)io::writeImage(folder.path("b.nrrd"), base::viewOf(stack), {});
    job::Job job;
    job.scene = folder.path("a.mha");
    job.crops = {{{3, 2, 1}, {7, 6, 1}}};
    job.stream = true;
    compare(job::toJson(job::runJob(job).report));
    job.stream = false;
    job.furtherScenes = {folder.path("b.nrrd")};
    job.report = folder.path("report.json");
    compare(job::toJson(job::runJob(job).report));
    compare(test::bytesOf(folder.path("report-1.json")));
}

void JobReportSchemaTest::convolutionsAndBlobsSatisfyIt() {
    const test::Folder folder;
    const base::AnyImage scene = test::noise(PixelType::UInt8, {60, 50, 3}, 5);
    (void)io::writeImage(folder.path("a.mha"), base::viewOf(scene), {});
    const auto reportOf = [](const job::AnyJob& job) {
        return job::run(job).report(job::Outcome::Text::Json);
    };
    job::ConvolveJob convolve;
    convolve.kernel = "gaussian:1.5";
    convolve.scene = folder.path("a.mha");
    convolve.output = folder.path("out.mha");
    compare(reportOf(convolve));
    convolve.stream = true;
    compare(reportOf(convolve));
    job::FeaturesJob features;
    features.scene = folder.path("a.mha");
    compare(reportOf(features));
    features.match = folder.path("a.mha");
    features.pairs = folder.path("pairs.csv");
    compare(reportOf(features));
}

void JobReportSchemaTest::otherReportsDoNot() {
    const test::SchemaChecker checker(schema());
    const Json good =
        Json::parse(job::toJson(job::runJob({}, images({60, 50, 1}, {7, 6, 1})).report));
    const auto refuses = [&](const std::function<void(Json&)>& change) {
        Json report = good;
        change(report);
        return !checker.fault(report).empty();
    };
    QVERIFY(checker.fault(good).empty());
    QVERIFY(refuses([](Json& report) { report["version"] = 2; }));
    QVERIFY(refuses([](Json& report) { report["command"] = "search"; }));
    QVERIFY(refuses([](Json& report) { report.erase("map"); }));
    QVERIFY(refuses([](Json& report) { report["extra"] = 1; }));
    QVERIFY(refuses([](Json& report) { report["peaks"][0]["score"] = "high"; }));
    QVERIFY(refuses([](Json& report) { report["peaks"][0]["corner"] = {1, 2}; }));
    QVERIFY(refuses([](Json& report) { report["candidates"][0]["verdict"] = "good"; }));
}

const flcc::test::TestClass<JobReportSchemaTest> kJobReportSchemaTest;
#include "report_schema_test.moc"
