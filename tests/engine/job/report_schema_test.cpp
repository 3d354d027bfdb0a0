#include <QtTest>

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

#include "engine/job/any_job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using Json = nlohmann::json;

namespace {

bool isOfType(const Json& value, const std::string& type) {
    return type == "null"      ? value.is_null()
           : type == "object"  ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "boolean" ? value.is_boolean()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
                               : false;
}

/// Checks the few keywords of JSON Schema that our schema uses, and refuses others.
class Checker {
  public:
    explicit Checker(Json schema) : m_schema(std::move(schema)) {}

    /// The first fault with its place; empty if there is none.
    [[nodiscard]] std::string fault(const Json& value) const {
        return fault(value, m_schema, "report");
    }

  private:
    [[nodiscard]] std::string fault(const Json& value, const Json& schema,
                                    const std::string& at) const {
        for (const auto& [keyword, rule] : schema.items()) {
            const std::string found = faultOf(value, schema, keyword, rule, at);
            if (!found.empty()) {
                return found;
            }
        }
        return {};
    }

    [[nodiscard]] std::string faultOf(const Json& value, const Json& schema,
                                      const std::string& keyword, const Json& rule,
                                      const std::string& at) const {
        if (keyword == "$ref") {
            const auto target = Json::json_pointer(rule.get<std::string>().substr(1));
            return fault(value, m_schema.at(target), at);
        }
        if (keyword == "type") {
            bool any = false;
            for (const Json& type : rule.is_array() ? rule : Json::array({rule})) {
                any = any || isOfType(value, type.get<std::string>());
            }
            return any ? "" : at + " has the wrong type: " + value.dump().substr(0, 60);
        }
        if (keyword == "const") {
            return value == rule ? "" : at + " is not " + rule.dump();
        }
        if (keyword == "enum") {
            const bool any = std::find(rule.begin(), rule.end(), value) != rule.end();
            return any ? "" : at + " is none of " + rule.dump() + ": " + value.dump();
        }
        if (keyword == "required" && value.is_object()) {
            for (const Json& key : rule) {
                if (!value.contains(key.get<std::string>())) {
                    return at + " lacks " + key.dump();
                }
            }
        } else if (keyword == "properties" && value.is_object()) {
            for (const auto& [key, inner] : rule.items()) {
                const std::string found =
                    value.contains(key) ? fault(value.at(key), inner, at + "." + key) : "";
                if (!found.empty()) {
                    return found;
                }
            }
        } else if (keyword == "additionalProperties" && value.is_object()) {
            for (const auto& [key, inner] : value.items()) {
                const bool known =
                    schema.contains("properties") && schema.at("properties").contains(key);
                if (!known && rule.is_boolean() && !rule.get<bool>()) {
                    return at + " has the unknown key \"" + key + "\"";
                }
                const std::string found =
                    known || rule.is_boolean() ? "" : fault(inner, rule, at + "." + key);
                if (!found.empty()) {
                    return found;
                }
            }
        } else if (keyword == "items" && value.is_array()) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                const std::string found = fault(value[i], rule, at + "[" + std::to_string(i) + "]");
                if (!found.empty()) {
                    return found;
                }
            }
        } else if ((keyword == "minItems" || keyword == "maxItems") && value.is_array()) {
            const bool good = keyword == "minItems" ? value.size() >= rule.get<std::size_t>()
                                                    : value.size() <= rule.get<std::size_t>();
            return good ? "" : at + " has " + std::to_string(value.size()) + " items";
        } else if (keyword == "oneOf") {
            std::string faults;
            int good = 0;
            for (const Json& each : rule) {
                const std::string found = fault(value, each, at);
                good += found.empty() ? 1 : 0;
                faults += found + "; ";
            }
            return good == 1 ? "" : at + " fits " + std::to_string(good) + " of oneOf: " + faults;
        } else if (std::string("$schema $id $defs title description required properties "
                               "additionalProperties items minItems maxItems")
                       .find(keyword) == std::string::npos) {
            return "the schema has the keyword " + keyword + ", which this test does not know";
        }
        return {};
    }

    Json m_schema;
};

Json schema() {
    std::ifstream file(FLCC_SOURCE "/resources/schemas/report.schema.json");
    std::ostringstream text;
    text << file.rdbuf();
    return Json::parse(text.str());
}

job::JobImages images(const base::Extents& scene, const base::Extents& templ) {
    base::AnyImage image = test::noise(PixelType::UInt8, scene, 5);
    base::AnyImage cut = test::crop(image, {{3, 2, 0}, templ});
    return test::imagesOf(std::move(image), std::move(cut));
}

void compare(const std::string& report) {
    const std::string fault = Checker(schema()).fault(Json::parse(report));
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
    const Checker checker(schema());
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
