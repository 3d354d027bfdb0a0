#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/pixels.h"
#include "engine/io/image_file.h"
#include "engine/job/options/options.h"
#include "engine/job/output/output_table.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/test_class.h"

using namespace flcc;
using job::Job;
using Json = nlohmann::json;

namespace {

/// Whether two jobs are the same in a part.
template <class Part> bool same(const Job& a, const Job& b) {
    return static_cast<const Part&>(a) == static_cast<const Part&>(b);
}

/// The parts in which two jobs differ.
std::vector<std::string> differences(const Job& a, const Job& b) {
    std::vector<std::string> parts;
    const auto add = [&parts](bool isSame, const char* name) {
        if (!isSame) {
            parts.emplace_back(name);
        }
    };
    add(same<job::SceneFile>(a, b), "scene file");
    add(same<job::StatedVoxels>(a, b), "stated voxels");
    add(same<job::Resources>(a, b), "resources");
    add(same<job::Portion>(a, b), "portion");
    add(same<job::Choice>(a, b), "choice");
    add(same<job::GivenPlan>(a, b), "given plan");
    add(same<job::Repetition>(a, b), "timing");
    add(same<job::Numbers>(a, b), "numbers");
    add(same<job::MatchImages>(a, b), "images");
    add(same<job::Question>(a, b), "question");
    add(same<job::Variants>(a, b), "variants");
    add(same<job::Listing>(a, b), "listing");
    add(same<job::Sums>(a, b), "sums");
    add(same<job::Checks>(a, b), "checks");
    add(same<job::Truth>(a, b), "truth");
    add(same<job::ListFacts>(a, b), "list facts");
    add(same<job::MatchOutputs>(a, b), "outputs");
    return parts;
}

/// Another value of an option; what else a job needs for it; whether a plan depends on it.
struct Sample {
    std::string value;
    bool plans = false;
    std::map<std::string, std::string> with{};
};

const std::map<std::string, std::string> kTurned{{"rotations", "30"}};

} // namespace

class JobPartsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase();
    void anOptionIsOfOnePart_data() { addOptions(); }
    void anOptionIsOfOnePart();
    void whatChangesAPlanChangesItsKey_data() { addOptions(); }
    void whatChangesAPlanChangesItsKey();
    void everyOutputIsInTheTable();

  private:
    void addOptions() const;
    [[nodiscard]] std::string file(const char* name) const { return m_folder.path(name).string(); }
    [[nodiscard]] std::string image(const char* name, const base::Extents& extents,
                                    double edge = 1) const;
    [[nodiscard]] Job jobWith(const std::map<std::string, std::string>& values) const;
    [[nodiscard]] Json planOf(const Job& job) const;

    test::Folder m_folder;
    std::map<std::string, Sample> m_samples;
};

std::string JobPartsTest::image(const char* name, const base::Extents& extents, double edge) const {
    base::Image<float> pixels(extents);
    for (std::int64_t i = 0; i < pixels.count(); ++i) {
        pixels.data()[i] = static_cast<float>(100 + 50 * std::sin(0.37 * static_cast<double>(i)) +
                                              static_cast<double>(i * i % 23));
    }
    base::Geometry geometry;
    geometry.spacing = {edge, edge, edge};
    geometry.unit = "mm";
    io::writeImage(file(name), pixels.view(), geometry);
    return file(name);
}

Job JobPartsTest::jobWith(const std::map<std::string, std::string>& values) const {
    Job job;
    job.scene = file("scene.mha");
    job.crops = {{{12, 9, 0}, {9, 8, 1}}};
    job.planning = plan::Planning::Estimate;
    job.memoryBytes = std::int64_t{1} << 30; // what is free differs from plan to plan
    job::GivenOptions given;
    for (const auto& [name, value] : values) {
        given[name] = {value};
    }
    job::detail::matchOptions().set(job, given);
    return job;
}

/// What a plan says, without the time of planning and what is told of the files.
Json JobPartsTest::planOf(const Job& job) const {
    Json report = Json::parse(job::toJson(job::planJob(job)));
    for (const char* const other :
         {"command_line", "job", "inputs", "environment", "planning_ms", "geometry", "warnings"}) {
        report.erase(other);
    }
    report["problem"].erase("partial_peaks"); // says which peaks are listed
    return report;
}

void JobPartsTest::initTestCase() {
    const std::string scene = image("scene.mha", {48, 40, 1});
    const std::string turned = image("turned.mha", {40, 48, 1}, 2);
    const std::string templ = image("template.mha", {7, 6, 1});
    const std::string mask = image("mask.mha", {48, 40, 1});
    const std::string stack = image("stack.mha", {48, 40, 3});
    Job job = jobWith({});
    job.report = file("plan.json");
    (void)job::planJob(job);
    m_samples = {
        {"scene", {turned, true}},
        {"template", {templ, true}},
        {"crop", {"3,4:11,8", true}},
        {"mask", {"sphere:3", true}},
        {"scene-mask", {mask, true}},
        {"resample", {"true", true}},
        {"ignore-directions", {"true", true}},
        {"invert", {"true", true}},
        {"channel", {"0", true}},
        {"frame", {"0", true}},
        {"orientation", {"stored", true}},
        {"image", {"0", true}},
        {"part", {"2,2:40,30", true}},
        {"spacing", {"2,2mm", true}},
        {"world", {"lps", true}},
        {"stream", {"true", true, {{"scene", stack}, {"crop", "3,4,0:9,8,1"}}}},
        {"region", {"2,2:40,30", true}},
        {"rotations", {"30", true}},
        {"scales", {"0.9,1.1", true}},
        {"mirror", {"true", true}},
        {"symmetry", {"C2", true, kTurned}},
        {"yes", {"true", true, kTurned}},
        {"refine", {"off", true, kTurned}},
        {"search", {"pruned", true, {{"rotations", "30"}, {"min-score", "0.7"}}}},
        {"search-statistics", {"on", true, kTurned}},
        {"resume", {file("kept"), true, kTurned}},
        {"band", {"2,20", true}},
        {"whiten", {"true", true}},
        {"wedge", {"60,60", true, {{"scene", stack}, {"crop", "3,4,0:9,8,3"}}}},
        {"ctf", {"2", true}},
        {"polarity", {"both", true}},
        {"operation", {"ssd", true}},
        {"extent", {"same", true}},
        {"outside", {"overlap", true, {{"extent", "same"}}}},
        {"min-overlap", {"0.7", true, {{"extent", "same"}, {"outside", "overlap"}}}},
        {"method", {"direct", true}},
        {"tile", {"24", true}},
        {"transforms", {"own", true}},
        {"statistics", {"fourier", true}},
        {"precision", {"double", true}},
        {"promise", {"1e-9", true}},
        {"recompute", {"off", true}},
        {"device", {"cpu", true}},
        {"threads", {"1", true}},
        {"memory", {"300MB", true}},
        {"planning", {"measure", true}},
        {"time-again", {"true", true}},
        {"plan", {file("plan.json"), true, {{"planning", "measure"}}}},
        {"repeat", {"2", true}},
        {"handedness", {"true", true, kTurned}},
        {"audit", {"off"}},
        {"min-score", {"0.7"}},
        {"max-score", {"9", false, {{"operation", "ssd"}}}},
        {"false-positives", {"3"}},
        {"zscore", {"6"}},
        {"null", {"phase", true}},
        {"max-peaks", {"7"}},
        {"min-distance", {"3"}},
        {"max-overlap", {"0.2"}},
        {"partial-peaks", {"true"}},
        {"list-others", {"true"}},
        {"truth", {file("truth.csv")}},
        {"tolerance", {"2"}},
        {"species", {"a", false, {{"truth", file("truth.csv")}}}},
        {"binning", {"2"}},
        {"unbinned-pixel", {"2.5"}},
        {"unbinned-size", {"96,80,64"}},
        {"binned-by", {"average"}},
        {"tomogram", {"TS_01"}},
    };
    QFile truth(QString::fromStdString(file("truth.csv")));
    QVERIFY(truth.open(QIODevice::WriteOnly));
    truth.write("rank,score,cx,cy,cz\n1,0.9,16,12.5,0\n");
    for (const job::detail::OutputRow& row : job::detail::outputTable()) {
        const std::string name(row.option.substr(2));
        m_samples.emplace(name, Sample{file(("out-" + name).c_str())});
    }
    m_samples["heatmap"].value = file("out.png");
    m_samples["figure"].value = file("out.svg");
    m_samples["peaks"].value = file("out.csv");
    m_samples["all-peaks"] = {file("all.star"), false, {{"peaks-format", "warp"}}};
    m_samples["comparison"] = {file("compared.csv"), false, {{"truth", file("truth.csv")}}};
    m_samples["report"].value = file("out.json");
    for (const char* const one :
         {"map", "status", "index", "template-out", "stack", "average", "average-variance"}) {
        m_samples[one].value = file((std::string(one) + ".mha").c_str());
    }
    const std::map<std::string, std::string> stacked{{"stack", file("stack-out.mha")}};
    m_samples["stack-size"] = {"8x8", false, stacked};
    m_samples["stack-normalise"] = {"mean", false, stacked};
    m_samples["stack-subvoxel"] = {"true", false, stacked};
    m_samples["stack-turned"] = {"true", false, {{"stack", file("s.mha")}, {"rotations", "30"}}};
    m_samples["slice"] = {"0", false, {{"heatmap", file("h.png")}}};
    m_samples["peaks-format"] = {"tsv", false, {{"peaks", file("p.csv")}}};
}

void JobPartsTest::addOptions() const {
    QTest::addColumn<QString>("name");
    for (const auto& row : job::detail::matchOptions().rows()) {
        QTest::newRow(row.name.c_str()) << QString::fromStdString(row.name);
    }
}

void JobPartsTest::anOptionIsOfOnePart() {
    QFETCH(QString, name);
    const auto sample = m_samples.find(name.toStdString());
    QVERIFY2(sample != m_samples.end(), "add a sample value of this option");
    const Job before = jobWith(sample->second.with);
    Job after = before;
    job::detail::matchOptions().set(after, {{sample->first, {sample->second.value}}});
    const std::vector<std::string> parts = differences(before, after);
    QVERIFY2(!parts.empty(), "the sample is the default");
    QVERIFY2(parts.size() == 1, (parts.front() + " and " + parts.back()).c_str());
}

void JobPartsTest::whatChangesAPlanChangesItsKey() {
    QFETCH(QString, name);
    const auto sample = m_samples.find(name.toStdString());
    QVERIFY(sample != m_samples.end());
    const Job before = jobWith(sample->second.with);
    Job after = before;
    job::detail::matchOptions().set(after, {{sample->first, {sample->second.value}}});
    const bool keyed = !(planKey(before) == planKey(after));
    QCOMPARE(keyed, sample->second.plans);
    if (!keyed) {
        QCOMPARE(planOf(before), planOf(after));
    }
}

/// What the table of outputs holds is what the options fill in.
void JobPartsTest::everyOutputIsInTheTable() {
    Job job = jobWith({});
    std::vector<std::string> options;
    for (const job::detail::OutputRow& row : job::detail::outputTable()) {
        const std::string name(row.option.substr(2));
        const std::string own = m_samples.at(name).value; // "on" is no file
        job::detail::matchOptions().set(job, {{name, {own == "on" ? file("sums.mha") : own}}});
        QVERIFY2(!row.in(job).empty(), name.c_str());
        row.of(job).clear();
        if (name == "search-statistics") {
            job.searchStatistics = false;
        }
        QVERIFY2(job == jobWith({}), name.c_str());
    }
    // An option whose value is a file that did not exist is an output, or the folder of --resume.
    for (const auto& row : job::detail::matchOptions().rows()) {
        const Sample& sample = m_samples.at(row.name);
        Job set = jobWith(sample.with);
        job::detail::matchOptions().set(set, {{row.name, {sample.value}}});
        if (differences(jobWith(sample.with), set) != std::vector<std::string>{"outputs"}) {
            continue;
        }
        const bool isFile = row.value.starts_with("FILE");
        const bool isRow =
            std::ranges::any_of(job::detail::outputTable(), [&row](const auto& output) {
                return output.option.substr(2) == row.name;
            });
        QVERIFY2(!isFile || isRow, row.name.c_str());
    }
}

const flcc::test::TestClass<JobPartsTest> kJobPartsTest;
#include "job_parts_test.moc"
