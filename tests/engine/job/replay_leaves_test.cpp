// A changed value of a report is noticed by a replay, or named among what it does not compare.

#include <QtTest>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/kinds/job_again.h"
#include "engine/job/replay.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using Report = nlohmann::ordered_json;
using Verdict = job::Replay::Verdict;

namespace {

void writeNoiseTo(const std::filesystem::path& file, const base::Extents& n, unsigned seed) {
    const base::AnyImage image = test::noise(base::PixelType::UInt8, n, seed);
    (void)io::writeImage(file, base::viewOf(image), {});
}

/// A match of two templates, or of one in poses, with all that reports of one can state.
job::Job matchIn(const test::Folder& folder) {
    writeNoiseTo(folder.path("scene.mha"), {70, 60, 1}, 5);
    io::writeText(folder.path("truth.csv"), "cx,cy,cz\n34,24,0\n20,50,0\n");
    job::Job job;
    job.scene = folder.path("scene.mha");
    job.crops = {{{30, 20, 0}, {9, 8, 1}}};
    job.falsePositives = 4;
    job.null = match::NullTemplate::Phase;
    job.maxPeaks = 6;
    job.truth = folder.path("truth.csv");
    job.tolerance = job::parseTolerance("3");
    job.report = folder.path("report.json");
    return job;
}

std::string reportOf(const job::AnyJob& job) {
    (void)job::run(job);
    return std::visit([](const auto& one) { return test::bytesOf(one.report); }, job);
}

std::string matched(const test::Folder& folder) {
    job::Job job = matchIn(folder);
    job.handedness = true;
    job.audit = job::Audit::On;
    job.exports.stack = folder.path("stack.mrc");
    job.exports.average = folder.path("average.mrc");
    return reportOf(job);
}

std::string matchedInPoses(const test::Folder& folder) {
    job::Job job = matchIn(folder);
    job.poses.rotations = "120";
    job.searchStatistics = true;
    job.searchMaps = folder.path("search.mha");
    job.resume = folder.path("kept");
    job.comparison = folder.path("comparison.csv");
    return reportOf(job);
}

std::string matchedInGroups(const test::Folder& folder) {
    job::Job job = matchIn(folder);
    job.crops.push_back({{10, 40, 0}, {6, 6, 1}});
    job.null = match::NullTemplate::None;
    job.truth.clear();
    job.exports.average = folder.path("average.mha");
    return reportOf(job);
}

std::string matchedFrames(const test::Folder& folder) {
    writeNoiseTo(folder.path("stack.mha"), {40, 30, 2}, 5);
    job::Job job = matchIn(folder);
    job.scene = folder.path("stack.mha");
    job.crops = {{{10, 10, 0}, {6, 6, 1}}};
    job.null = match::NullTemplate::None;
    job.truth.clear();
    job.stream = true;
    return reportOf(job);
}

std::string convolved(const test::Folder& folder) {
    writeNoiseTo(folder.path("scene.mha"), {50, 40, 1}, 5);
    job::ConvolveJob job;
    job.scene = folder.path("scene.mha");
    job.kernel = "gaussian:2";
    job.report = folder.path("report.json");
    return reportOf(job);
}

std::string detected(const test::Folder& folder) {
    writeNoiseTo(folder.path("scene.mha"), {64, 60, 1}, 5);
    job::FeaturesJob job;
    job.scene = job.match = folder.path("scene.mha");
    job.pairs = folder.path("pairs.csv");
    job.strength = folder.path("strength.mha");
    job.detector.scales = {.first = 1, .last = 6, .count = 8};
    job.detector.minStrength = 1;
    job.detector.maxBlobs = 5;
    job.report = folder.path("report.json");
    return reportOf(job);
}

/// The path of a leaf without its indices: "peaks[].score".
std::string plainPath(const Report::json_pointer& leaf, const Report& report) {
    std::string path;
    const Report* at = &report;
    std::vector<std::string> steps;
    for (Report::json_pointer up = leaf; !up.empty(); up = up.parent_pointer()) {
        steps.insert(steps.begin(), up.back());
    }
    for (const std::string& step : steps) {
        if (at->is_array()) {
            path += "[]";
            at = &at->at(std::stoul(step));
        } else {
            path += (path.empty() ? "" : ".") + step;
            at = &at->at(step);
        }
    }
    return path;
}

/// Another value of the same kind, farther away than any bound.
Report changed(const Report& value) {
    if (value.is_boolean()) {
        return !value.get<bool>();
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>() + 1;
    }
    if (value.is_number()) {
        return value.get<double>() * 1.02 + 0.01;
    }
    return value.is_string() ? Report(value.get<std::string>() + "0") : Report(1);
}

} // namespace

class JobReplayLeavesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyChangedValueIsNoticedOrNamed_data();
    void everyChangedValueIsNoticedOrNamed();
    void valuesOfARunAreCompared();
    void nothingIsWrittenAndNothingKeptIsRead();
    void aMovedReportTakesTheFilesBesideIt_data();
    void aMovedReportTakesTheFilesBesideIt();
    void aChangedTruthIsNamed();
    void aForgedDigestOfTheMapIsNoticed();
};

void JobReplayLeavesTest::everyChangedValueIsNoticedOrNamed_data() {
    QTest::addColumn<std::string (*)(const test::Folder&)>("make");
    QTest::newRow("match") << &matched;
    QTest::newRow("poses") << &matchedInPoses;
    QTest::newRow("groups") << &matchedInGroups;
    QTest::newRow("frames") << &matchedFrames;
    QTest::newRow("convolve") << &convolved;
    QTest::newRow("features") << &detected;
}

void JobReplayLeavesTest::everyChangedValueIsNoticedOrNamed() {
    using Make = std::string (*)(const test::Folder&);
    QFETCH(Make, make);
    const test::Folder folder;
    const Report report = Report::parse(make(folder));
    const job::detail::Again again =
        job::detail::runAgain(folder.path("report.json"), report, {}, nullptr);
    const job::Replay same = job::detail::compareAgain(report, again, {});
    QVERIFY2(same.verdict == Verdict::Identical, same.sentence.c_str());
    int noticed = 0;
    std::map<std::string, int> seen;
    const Report leaves = report.flatten();
    for (const auto& [pointer, value] : leaves.items()) {
        const Report::json_pointer leaf(pointer);
        const std::string plain = plainPath(leaf, report);
        constexpr int kOfAList = 2;
        if (++seen[plain] > kOfAList) {
            continue;
        }
        Report edited = report;
        edited[leaf] = changed(report.at(leaf));
        const job::Replay done = job::detail::compareAgain(edited, again, {});
        const std::string name(job::detail::UncheckedNames(edited).of(plain));
        const bool isNamed =
            !name.empty() && std::ranges::find(done.unchecked, name) != done.unchecked.end();
        QVERIFY2(done.verdict != Verdict::Identical || isNamed, pointer.c_str());
        noticed += done.verdict == Verdict::Different ? 1 : 0;
        Report without = report; // a value that is left out is named, or differs
        if (seen[plain] == 1 && without[leaf.parent_pointer()].is_object()) {
            without[leaf.parent_pointer()].erase(leaf.back());
            const job::Replay lacking = job::detail::compareAgain(without, again, {});
            QVERIFY2(lacking.verdict != Verdict::Identical || isNamed ||
                         lacking.unchecked.back().find(leaf.back()) != std::string::npos,
                     pointer.c_str());
        }
    }
    QVERIFY2(noticed > 30, std::to_string(noticed).c_str());
}

void JobReplayLeavesTest::valuesOfARunAreCompared() {
    // The table of what is not compared cannot grow over these.
    const test::Folder folder;
    const Report report = Report::parse(matched(folder));
    for (const char* const path : {"peaks[].score",
                                   "peaks[].centre[]",
                                   "peaks[].world[]",
                                   "peaks[].pose.euler[]",
                                   "peaks[].refinement.score",
                                   "peaks[].rival",
                                   "peaks[].zscore",
                                   "peaks[].false_positives",
                                   "peaks[].overlap.share",
                                   "peaks[].search.z",
                                   "map.mean",
                                   "map.status.OK",
                                   "map_sha256",
                                   "threshold.value",
                                   "threshold.parameters[].mean",
                                   "threshold.null_check.ratio",
                                   "handedness.p",
                                   "truth.f1",
                                   "truth.pairs[].distance",
                                   "audit.checked",
                                   "run.device",
                                   "inputs[].sha256",
                                   "search.largest_z",
                                   "poses.members",
                                   "stack.count",
                                   "average.halves.correlation[]",
                                   "averages[].mean_variance",
                                   "frames[].best.score",
                                   "groups[].map.max"}) {
        QVERIFY2(job::detail::UncheckedNames(report).of(path).empty(), path);
    }
}

void JobReplayLeavesTest::nothingIsWrittenAndNothingKeptIsRead() {
    const test::Folder folder;
    const Report report = Report::parse(matchedInPoses(folder));
    const auto names = folder.names();
    const auto filesOf = [&] {
        std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path("."))) {
            if (entry.is_regular_file()) {
                files[entry.path()] = {test::bytesOf(entry), entry.last_write_time()};
            }
        }
        return files;
    };
    const auto before = filesOf();
    QVERIFY(before.size() > 5); // the comparison and what was kept among them
    const QByteArray cache = qgetenv("XDG_CACHE_HOME");
    qputenv("XDG_CACHE_HOME", folder.path("cache").string().c_str());
    const job::detail::Again again =
        job::detail::runAgain(folder.path("report.json"), report, {}, nullptr);
    cache.isNull() ? qunsetenv("XDG_CACHE_HOME") : qputenv("XDG_CACHE_HOME", cache);
    QVERIFY(filesOf() == before && folder.names() == names);
    QCOMPARE(again.report.at("poses").at("resumed_members"), Report(0));
    QCOMPARE(again.report.at("times").at("remembered"), Report(false));
}

void JobReplayLeavesTest::aMovedReportTakesTheFilesBesideIt_data() {
    QTest::addColumn<bool>("relative");
    QTest::newRow("absolute paths") << false;
    QTest::newRow("relative paths") << true;
}

void JobReplayLeavesTest::aMovedReportTakesTheFilesBesideIt() {
    QFETCH(bool, relative);
    test::Folder now;
    {
        const test::Folder then;
        std::string report = matched(then);
        const std::string folder = then.path("").string();
        for (std::size_t at = 0; relative && (at = report.find(folder)) != std::string::npos;) {
            report.replace(at, folder.size(), "there/");
        }
        std::filesystem::create_directory(now.path("kept"));
        io::writeText(now.path("kept/report.json"), report);
        for (const char* const name : {"scene.mha", "truth.csv"}) {
            std::filesystem::copy_file(then.path(name), now.path("kept") / name);
        }
    }
    const job::Replay done = job::replay(now.path("kept/report.json"));
    QVERIFY2(done.verdict == Verdict::Identical, done.sentence.c_str());
    QVERIFY(!done.notes.empty());
    QVERIFY2(done.notes.front().find("is taken from " + now.path("kept/scene.mha").string()) !=
                 std::string::npos,
             done.notes.front().c_str());
}

void JobReplayLeavesTest::aChangedTruthIsNamed() {
    const test::Folder folder;
    (void)matched(folder);
    io::writeText(folder.path("truth.csv"), "cx,cy,cz\n34,24,0\n20,51,0\n");
    const test::Thrown thrown =
        test::thrownBy([&] { (void)job::replay(folder.path("report.json")); });
    QCOMPARE(thrown.code, base::ErrorCode::Input);
    QVERIFY2(thrown.sentence.find("truth.csv has changed: its SHA-256 is ") != std::string::npos,
             thrown.sentence.c_str());
}

void JobReplayLeavesTest::aForgedDigestOfTheMapIsNoticed() {
    const test::Folder folder;
    Report report = Report::parse(convolved(folder));
    report["map_sha256"] = std::string(64, '0');
    io::writeText(folder.path("report.json"), report.dump());
    const job::Replay done = job::replay(folder.path("report.json"));
    QVERIFY2(done.verdict == Verdict::Different &&
                 done.sentence.find("SHA-256 of the map") != std::string::npos,
             done.sentence.c_str());
}

const flcc::test::TestClass<JobReplayLeavesTest> kJobReplayLeavesTest;
#include "replay_leaves_test.moc"
