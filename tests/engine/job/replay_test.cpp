#include <QtTest>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/replay.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;
using Json = nlohmann::json;
using Verdict = job::Replay::Verdict;

namespace {

void writeNoise(const std::filesystem::path& file, const base::Extents& n, unsigned seed) {
    const base::AnyImage image = test::noise(PixelType::UInt8, n, seed);
    (void)io::writeImage(file, base::viewOf(image), {});
}

/// A job from files with its report and map.
job::Job madeJob(const test::Folder& folder) {
    writeNoise(folder.path("scene.mha"), {120, 100, 1}, 5);
    job::Job job;
    job.scene = folder.path("scene.mha");
    job.crops = {{{30, 20, 0}, {9, 8, 1}}};
    job.minScore = 0.3;
    job.report = folder.path("report.json");
    job.map = folder.path("map.mha");
    (void)job::runJob(job);
    return job;
}

Json reportIn(const job::Job& job) { return Json::parse(test::bytesOf(job.report)); }

job::Replay replayOf(const job::Job& job, const Json& report) {
    io::writeText(job.report, report.dump());
    return job::replay(job.report);
}

} // namespace

class JobReplayTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void anUnchangedJobIsIdenticalAndWritesNothing();
    void aScoreWithinItsBoundIsSaid();
    void theFirstOtherPeakIsNamed();
    void theFirstOtherVoxelIsNamed();
    void streamsAreComparedByFrames();
    void missingAndChangedInputsAreRefused();
    void anInputWithoutDigestIsSaidToBeUnchecked();
    void aConvolutionIsComparedBitForBit();
    void convolvedFramesAreComparedByStatistics();
    void blobsPairsAndMapsAreCompared();
    void whatCannotRunAgainIsRefused_data();
    void whatCannotRunAgainIsRefused();
};

void JobReplayTest::anUnchangedJobIsIdenticalAndWritesNothing() {
    const test::Folder folder;
    const job::Job job = madeJob(folder);
    const auto names = folder.names();
    const std::string report = test::bytesOf(job.report);
    const job::Replay done = job::replay(job.report);
    QVERIFY2(done.verdict == Verdict::Identical, done.sentence.c_str());
    QVERIFY2(done.sentence.starts_with("identical: ") &&
                 done.sentence.find("bit for bit") != std::string::npos,
             done.sentence.c_str());
    QVERIFY(folder.names() == names && test::bytesOf(job.report) == report);
}

void JobReplayTest::aScoreWithinItsBoundIsSaid() {
    const test::Folder folder;
    const job::Job job = madeJob(folder);
    Json report = reportIn(job);
    Json& peak = report["peaks"][0];
    peak["score"] = peak["score"].get<double>() - peak["bound"].get<double>() / 2;
    const job::Replay done = replayOf(job, report);
    QVERIFY2(done.verdict == Verdict::WithinBounds, done.sentence.c_str());
    QVERIFY2(done.sentence.find("peaks[0].score was ") != std::string::npos, done.sentence.c_str());
}

void JobReplayTest::theFirstOtherPeakIsNamed() {
    const test::Folder folder;
    const job::Job job = madeJob(folder);
    const Json report = reportIn(job);
    QVERIFY(report.at("peaks").size() > 2);
    Json moved = report;
    moved["peaks"][1]["corner"][0] = moved["peaks"][1]["corner"][0].get<int>() + 1;
    moved["peaks"][2]["score"] = 2;
    const job::Replay other = replayOf(job, moved);
    QVERIFY2(other.verdict == Verdict::Different, other.sentence.c_str());
    QVERIFY2(other.sentence.find("different: peaks[1].corner[0] was ") == 0,
             other.sentence.c_str());
    Json fewer = report;
    fewer["peaks"].erase(fewer["peaks"].size() - 1);
    const job::Replay more = replayOf(job, fewer);
    QVERIFY2(more.sentence.find("peaks[" + std::to_string(report.at("peaks").size() - 1) +
                                "] is new: ") != std::string::npos,
             more.sentence.c_str());
}

void JobReplayTest::theFirstOtherVoxelIsNamed() {
    const test::Folder folder;
    const job::Job job = madeJob(folder);
    Json report = reportIn(job);
    report["map_sha256"] = std::string(64, '0');
    io::LoadedImage map = io::readImage(job.map);
    auto& values = std::get<base::Image<float>>(map.components.at(0));
    const float seven = values.view().at(7, 3, 0);
    const float nine = values.view().at(9, 5, 0);
    values.view().at(7, 3, 0) += 0.25F;
    values.view().at(9, 5, 0) += 0.25F;
    (void)io::writeImage(job.map, base::viewOf(map.components.at(0)), map.info.geometry);
    const job::Replay done = replayOf(job, report);
    QVERIFY2(done.verdict == Verdict::Different, done.sentence.c_str());
    QVERIFY2(done.sentence.find("voxel 7,3,0 of the map was ") != std::string::npos,
             done.sentence.c_str());
    // A change within the bound is one of bits only.
    values.view().at(7, 3, 0) = seven;
    values.view().at(9, 5, 0) = std::nextafterf(nine, 2);
    (void)io::writeImage(job.map, base::viewOf(map.components.at(0)), map.info.geometry);
    const job::Replay near = job::replay(job.report);
    QVERIFY2(near.verdict == Verdict::WithinBounds, near.sentence.c_str());
    QVERIFY2(near.sentence.find("most at voxel 9,5,0") != std::string::npos, near.sentence.c_str());
    // Without the file the statistics are compared.
    std::filesystem::remove(job.map);
    report["map"]["mean"] = 0.5;
    const job::Replay mean = replayOf(job, report);
    QVERIFY2(mean.verdict == Verdict::Different &&
                 mean.sentence.find("map.mean was 0.5") != std::string::npos,
             mean.sentence.c_str());
}

void JobReplayTest::streamsAreComparedByFrames() {
    const test::Folder folder;
    writeNoise(folder.path("stack.mha"), {60, 50, 3}, 5);
    writeNoise(folder.path("template.mha"), {6, 6, 1}, 9);
    job::Job job;
    job.scene = folder.path("stack.mha");
    job.templates = {folder.path("template.mha")};
    job.stream = true;
    job.minScore = 0.3;
    job.report = folder.path("report.json");
    (void)job::runJob(job);
    const job::Replay same = job::replay(job.report);
    QVERIFY2(same.verdict == Verdict::Identical, same.sentence.c_str());
    Json report = reportIn(job);
    report["frames"][2]["peaks"] = 77;
    const job::Replay other = replayOf(job, report);
    QVERIFY2(other.sentence.find("frames[2].peaks was 77") != std::string::npos,
             other.sentence.c_str());
}

void JobReplayTest::missingAndChangedInputsAreRefused() {
    const test::Folder folder;
    writeNoise(folder.path("template.mha"), {9, 8, 1}, 6);
    job::Job job = madeJob(folder);
    job.crops.clear();
    job.templates = {folder.path("template.mha")};
    (void)job::runJob(job);
    writeNoise(folder.path("scene.mha"), {120, 100, 1}, 7);
    std::filesystem::remove(folder.path("template.mha"));
    const test::Thrown thrown = test::thrownBy([&] { (void)job::replay(job.report); });
    QCOMPARE(thrown.code, ErrorCode::Input);
    const std::string scene = "scene " + folder.path("scene.mha").string() + " has changed";
    const std::string templ = "template " + folder.path("template.mha").string() + " is missing";
    QVERIFY2(thrown.sentence.find(scene) != std::string::npos, thrown.sentence.c_str());
    QVERIFY2(thrown.sentence.find(templ) != std::string::npos, thrown.sentence.c_str());
}

void JobReplayTest::anInputWithoutDigestIsSaidToBeUnchecked() {
    const test::Folder folder;
    writeNoise(folder.path("template.mha"), {9, 8, 1}, 6);
    job::Job job = madeJob(folder);
    job.crops.clear();
    job.templates = {folder.path("template.mha")};
    (void)job::runJob(job);
    QVERIFY(job::replay(job.report).notes.empty());
    Json report = reportIn(job);
    QCOMPARE(report.at("inputs").at(1).at("role"), Json("template"));
    report["inputs"][1]["sha256"] = nullptr;
    const job::Replay done = replayOf(job, report);
    QCOMPARE(done.notes.size(), std::size_t{1});
    QVERIFY2(done.notes.front().find("template.mha is not checked") != std::string::npos,
             done.notes.front().c_str());
    // A template of the window that is in no file cannot be taken again.
    report["inputs"][1]["path"] = "drawn";
    report["job"].erase("template");
    const test::Thrown thrown = test::thrownBy([&] { (void)replayOf(job, report); });
    QCOMPARE(thrown.code, ErrorCode::Input);
    QVERIFY2(thrown.sentence.find("template drawn has no digest") != std::string::npos,
             thrown.sentence.c_str());
}

void JobReplayTest::aConvolutionIsComparedBitForBit() {
    const test::Folder folder;
    writeNoise(folder.path("scene.mha"), {90, 80, 1}, 5);
    job::ConvolveJob job;
    job.scene = folder.path("scene.mha");
    job.kernel = "gaussian:2";
    job.output = folder.path("out.mha");
    job.report = folder.path("report.json");
    (void)job::runConvolve(job);
    const auto names = folder.names();
    const std::string output = test::bytesOf(job.output);
    const job::Replay same = job::replay(job.report);
    QVERIFY2(same.verdict == Verdict::Identical &&
                 same.sentence.find("90x80x1 voxels is the same, bit for bit") != std::string::npos,
             same.sentence.c_str());
    QVERIFY(folder.names() == names && test::bytesOf(job.output) == output);
    Json report = Json::parse(test::bytesOf(job.report));
    report["map_sha256"] = std::string(64, '0');
    io::LoadedImage map = io::readImage(job.output);
    std::get<base::Image<float>>(map.components.at(0)).view().at(4, 9, 0) += 1;
    (void)io::writeImage(job.output, base::viewOf(map.components.at(0)), map.info.geometry);
    io::writeText(job.report, report.dump());
    const job::Replay other = job::replay(job.report);
    QVERIFY2(other.verdict == Verdict::Different &&
                 other.sentence.find("voxel 4,9,0 of the map") != std::string::npos,
             other.sentence.c_str());
    writeNoise(folder.path("scene.mha"), {90, 80, 1}, 6);
    const test::Thrown thrown = test::thrownBy([&] { (void)job::replay(job.report); });
    QVERIFY2(thrown.sentence.find("scene.mha has changed") != std::string::npos,
             thrown.sentence.c_str());
}

void JobReplayTest::convolvedFramesAreComparedByStatistics() {
    const test::Folder folder;
    writeNoise(folder.path("stack.mha"), {40, 30, 3}, 5);
    job::ConvolveJob job;
    job.scene = folder.path("stack.mha");
    job.kernel = "box:3";
    job.stream = true;
    job.report = folder.path("report.json");
    (void)job::runConvolve(job);
    const job::Replay same = job::replay(job.report);
    QVERIFY2(same.verdict == Verdict::Identical, same.sentence.c_str());
    Json report = Json::parse(test::bytesOf(job.report));
    report["frames"][2]["mean"] = 1e6;
    io::writeText(job.report, report.dump());
    const job::Replay other = job::replay(job.report);
    QVERIFY2(other.verdict == Verdict::Different &&
                 other.sentence.find("frames[2].mean was 1000000.0") != std::string::npos,
             other.sentence.c_str());
}

void JobReplayTest::blobsPairsAndMapsAreCompared() {
    const test::Folder folder;
    writeNoise(folder.path("image.mha"), {64, 60, 1}, 5);
    job::FeaturesJob job;
    job.scene = job.match = folder.path("image.mha");
    job.pairs = folder.path("pairs.csv");
    job.strength = folder.path("strength.mha");
    job.detector.scales = {.first = 1, .last = 6, .count = 8};
    job.detector.minStrength = 1;
    job.report = folder.path("report.json");
    (void)job::runFeatures(job);
    const auto names = folder.names();
    const job::Replay same = job::replay(job.report);
    QVERIFY2(same.verdict == Verdict::Identical, same.sentence.c_str());
    QVERIFY(folder.names() == names);
    const Json report = Json::parse(test::bytesOf(job.report));
    QVERIFY(report.at("blobs").size() > 2 && !report.at("match").at("pairs").empty());
    const auto sentenceOf = [&](const Json& changed) {
        io::writeText(job.report, changed.dump());
        const job::Replay done = job::replay(job.report);
        return done.verdict == Verdict::Different ? done.sentence : "not different";
    };
    Json blob = report;
    blob["blobs"][1]["strength"] = std::nextafter(blob["blobs"][1]["strength"].get<double>(), 1e9);
    QVERIFY2(sentenceOf(blob).find("different: blobs[1].strength was ") == 0,
             sentenceOf(blob).c_str());
    Json pair = report;
    pair["match"]["pairs"].erase(0);
    QVERIFY(sentenceOf(pair).find("match.pairs[") != std::string::npos);
    Json map = report;
    map["scale_map_sha256"] = std::string(64, '0');
    QVERIFY(sentenceOf(map).find("scale_map_sha256 was ") != std::string::npos);
}

void JobReplayTest::whatCannotRunAgainIsRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("word");
    QTest::newRow("no JSON") << QByteArray("plan") << "not a report";
    QTest::newRow("no version") << QByteArray("{}") << "version";
    QTest::newRow("newer") << QByteArray(R"({"version": 99})") << "99";
    QTest::newRow("other command")
        << QByteArray(R"({"version": 1, "command": "bench"})") << "not of bench";
    QTest::newRow("other kind") << QByteArray(R"({"version": 1, "command": "match", "run": {},
        "job": {"scene": "a.mha", "crop": "1,1:4,4"}, "inputs": [{"path": 5}]})")
                                << "not of its kind";
    QTest::newRow("scenes") << QByteArray(R"({"version": 1, "command": "match", "scenes": []})")
                            << "several scenes";
    QTest::newRow("plan") << QByteArray(R"({"version": 1, "command": "match", "run": null})")
                          << "plan";
    QTest::newRow("no job") << QByteArray(R"({"version": 1, "command": "match", "run": {}})")
                            << "job";
}

void JobReplayTest::whatCannotRunAgainIsRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, word);
    const test::Folder folder;
    io::writeText(folder.path("report.json"), text.toStdString());
    const test::Thrown thrown =
        test::thrownBy([&] { (void)job::replay(folder.path("report.json")); });
    QCOMPARE(thrown.code, ErrorCode::Input);
    QVERIFY2(thrown.sentence.find(word.toStdString()) != std::string::npos,
             thrown.sentence.c_str());
}

const flcc::test::TestClass<JobReplayTest> kJobReplayTest;
#include "replay_test.moc"
