#include <QtTest>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <stop_token>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/stream_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using job::Job;
using job::Phase;
using test::kFrame;
using test::kPiece;
using test::rowsOf;
using test::sliceOf;
using test::Stack;
using test::Turns;
using test::withStacks;
using Json = nlohmann::json;

namespace {

/// The row of a frame as that of a frame among four in a stack with spacing 3: another wz, and four
/// times the false positives.
std::string inStack(const std::string& row, int z) {
    QStringList cells = QString::fromStdString(row).split(',');
    cells[10] = QString::number(3 + 3 * z);
    if (!cells[15].isEmpty()) {
        std::array<char, 32> text{};
        const auto end = std::to_chars(text.begin(), text.end(), 4 * cells[15].toDouble()).ptr;
        cells[15] = QString::fromLatin1(text.data(), end - text.data());
    }
    return cells.join(',').toStdString();
}

} // namespace

class JobStreamTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyFrameHasTheBitsOfARunAlone_data();
    void everyFrameHasTheBitsOfARunAlone();
    void severalTemplatesAndMasksAreForAll();
    void theStackMayBeOfAnyFormat_data();
    void theStackMayBeOfAnyFormat();
    void theMapStandsWhereTheStackDoes();
    void aTemplateMayBeCutFromTheFirstFrame();
    void oneSliceIsAStackOfOne();
    void theReportHasARowForEachFrame();
    void framesOfLargeValuesHaveADeviation();
    void aPlanIsThatOfTheFirstFrame();
    void whatAStreamHasNotIsRefused_data();
    void whatAStreamHasNotIsRefused();
    void aVolumeIsNoTemplate();
    void cancellingLeavesNothing_data();
    void cancellingLeavesNothing();
    void aDamagedFrameIsNamedAndNothingIsWritten();
};

void JobStreamTest::everyFrameHasTheBitsOfARunAlone_data() {
    QTest::addColumn<QString>("operation");
    QTest::addColumn<QString>("method");
    QTest::addColumn<int>("extent");
    for (const method::OperationTraits& traits : method::operationTable()) {
        const std::string name(traits.name);
        QTest::addRow("%s", name.c_str())
            << QString::fromStdString(name) << (traits.byDefinition ? "direct" : "tiled") << 0;
    }
    QTest::newRow("lcc, direct, same") << "lcc"
                                       << "direct" << 1;
    QTest::newRow("lcc, fourier") << "lcc"
                                  << "fourier" << 0;
}

void JobStreamTest::everyFrameHasTheBitsOfARunAlone() {
    QFETCH(QString, operation);
    QFETCH(QString, method);
    QFETCH(int, extent);
    const Stack stack(4);
    const test::Folder folder;
    const auto with = [&](Job job) {
        job.operation = method::operationNamed(operation.toStdString()).value();
        job.method = method.toStdString();
        job.tile = method == "tiled" ? base::Extents{64, 64, 64} : base::Extents{0, 0, 0};
        job.threads = 2;
        job.extent = extent == 0 ? method::Extent::Valid : method::Extent::Same;
        job.maxPeaks = 5;
        job.audit = job::Audit::On;
        return job;
    };
    const job::JobResult result = job::runJob(with(withStacks(stack.job(), folder)));
    QVERIFY(!result.cancelled);
    QCOMPARE(result.report.frames.size(), std::size_t{4});
    std::vector<std::string> peaks;
    for (int z = 0; z < 4; ++z) {
        const test::Folder own;
        Job alone = with(withStacks(stack.alone(z), own));
        if (alone.operation.traits().hasLaw) {
            alone.falsePositives = 0.25; // one is expected in the whole stack
        }
        const job::JobResult one = job::runJob(alone);
        QVERIFY(sliceOf(folder.path("map.mha"), z) == sliceOf(own.path("map.mha"), 0));
        QVERIFY(sliceOf(folder.path("status.nrrd"), z) == sliceOf(own.path("status.nrrd"), 0));
        for (const std::string& row : rowsOf(own.path("peaks.csv"))) {
            peaks.push_back(inStack(row, z) + "," + std::to_string(z));
        }
        const job::FrameReport& row = result.report.frames[static_cast<std::size_t>(z)];
        QCOMPARE(row.peaks, static_cast<std::int64_t>(one.peaks.size()));
        QCOMPARE(row.statistics.mean, one.report.map->statistics.mean);
        QVERIFY(row.verdict == one.report.audit->verdict);
    }
    QVERIFY(peaks.size() >= 4);
    const std::vector<std::string> rows = rowsOf(folder.path("peaks.csv"));
    QCOMPARE(rows.size(), peaks.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QCOMPARE(rows[i], peaks[i]);
    }
}

void JobStreamTest::severalTemplatesAndMasksAreForAll() {
    const Stack stack(3);
    base::Image<std::uint8_t> mask(kPiece.extents, std::uint8_t{1});
    mask.data()[5] = 0;
    (void)io::writeImage(stack.path("mask.mha"), mask.view(), {});
    base::Image<std::uint8_t> sceneMask(kFrame, std::uint8_t{1});
    sceneMask.data()[900] = 0;
    (void)io::writeImage(stack.path("scene-mask.mha"), sceneMask.view(), {});
    const test::Folder folder;
    const auto with = [&](Job job, const test::Folder& in) {
        job = withStacks(std::move(job), in);
        job.templates.push_back(stack.path("second.mha"));
        job.masks = {stack.path("mask.mha")};
        job.sceneMask = stack.path("scene-mask.mha");
        job.region = base::Box{{3, 2, 0}, {60, 48, 1}};
        job.index = in.path("index.mha");
        return job;
    };
    (void)job::runJob(with(stack.job(), folder));
    for (int z = 0; z < 3; ++z) {
        const test::Folder own;
        (void)job::runJob(with(stack.alone(z), own));
        for (const char* name : {"map.mha", "status.nrrd", "index.mha"}) {
            QVERIFY(sliceOf(folder.path(name), z) == sliceOf(own.path(name), 0));
        }
    }
}

void JobStreamTest::theStackMayBeOfAnyFormat_data() {
    QTest::addColumn<QString>("name");
    for (const std::string& extension : io::writableExtensions()) {
        // A png file holds no stack; frames of an h5 file cannot be read one at a time.
        if (extension != "png" && extension != "h5") {
            QTest::addRow("%s", extension.c_str()) << QString::fromStdString("s." + extension);
        }
    }
}

void JobStreamTest::theStackMayBeOfAnyFormat() {
    QFETCH(QString, name);
    const Stack stack(3, base::PixelType::UInt16, name.toStdString());
    const test::Folder folder;
    (void)job::runJob(withStacks(stack.job(), folder));
    const test::Folder own;
    (void)job::runJob(withStacks(stack.alone(2), own));
    QVERIFY(sliceOf(folder.path("map.mha"), 2) == sliceOf(own.path("map.mha"), 0));
}

void JobStreamTest::theMapStandsWhereTheStackDoes() {
    const Stack stack(3);
    const test::Folder folder;
    (void)job::runJob(withStacks(stack.job(), folder));
    const io::ImageInfo map = io::readImageInfo(folder.path("map.mha"));
    QVERIFY(map.extents == (base::Extents{59, 43, 3}));
    QVERIFY(map.geometry.spacing == (base::Point{0.5, 0.25, 3}));
    // The centre of the first placement: origin + spacing * (template - 1) / 2.
    QVERIFY(map.geometry.origin == (base::Point{1 + 0.5 * 5.5, 2 + 0.25 * 4.5, 3}));
}

void JobStreamTest::aTemplateMayBeCutFromTheFirstFrame() {
    const Stack stack(3);
    const test::Folder folder;
    Job job = withStacks(stack.job(), folder);
    job.templates.clear();
    job.crops = {kPiece};
    job.templateOut = folder.path("cut.mha");
    const job::JobResult result = job::runJob(job);
    QVERIFY(sliceOf(folder.path("cut.mha"), 0) == sliceOf(stack.path("template.mha"), 0));
    for (const job::FrameReport& frame : result.report.frames) {
        QVERIFY(frame.best.has_value());
        QCOMPARE(frame.best->score, 1.0);
        QCOMPARE(frame.best->corner.x, kPiece.corner.x + frame.frame);
    }
}

void JobStreamTest::oneSliceIsAStackOfOne() {
    const Stack stack(1);
    const test::Folder folder;
    const job::JobResult result = job::runJob(withStacks(stack.job(), folder));
    QCOMPARE(result.report.frames.size(), std::size_t{1});
    QVERIFY(rowsOf(folder.path("peaks.csv")).front().ends_with(",0"));
    QVERIFY(io::readImageInfo(folder.path("map.mha")).extents == (base::Extents{59, 43, 1}));
}

void JobStreamTest::theReportHasARowForEachFrame() {
    const Stack stack(5);
    const test::Folder folder;
    Job job = withStacks(stack.job(), folder);
    job.audit = job::Audit::On;
    Turns turns;
    const job::JobResult result = job::runJob(job, {}, {}, &turns);
    QCOMPARE(turns.turns, 5);
    QVERIFY(turns.readAhead == (std::vector<bool>{true, true, true, true, false}));
    const Json report = Json::parse(test::bytesOf(folder.path("report.json")));
    QCOMPARE(report.at("frames").size(), std::size_t{5});
    QCOMPARE(report.at("frames").at(3).at("frame").get<int>(), 3);
    QCOMPARE(report.at("frames").at(3).at("best").at("score").get<double>(), 1.0);
    QVERIFY(report.at("peaks").empty());
    QVERIFY(report.at("stream").is_null());
    QCOMPARE(report.at("map").at("status").at("OK").get<int>(), 59 * 43 * 5);
    QCOMPARE(report.at("audit").at("verdict").get<std::string>(), std::string("passed"));
    QCOMPARE(report.at("inputs").at(0).at("sha256").get<std::string>(),
             job::loadImage(stack.path("stack.mha"), {}, {})->sha256);
    // The statistics of the whole map: sums over the values of the stack.
    const io::LoadedImage map = io::readImage(folder.path("map.mha"));
    const auto& values = std::get<base::Image<float>>(map.components.front());
    double sum = 0;
    double squares = 0;
    for (std::int64_t i = 0; i < values.count(); ++i) {
        sum += double{values.data()[i]};
        squares += double{values.data()[i]} * double{values.data()[i]};
    }
    const auto count = static_cast<double>(values.count());
    // Of each frame the two moments are rounded to kScoreUnit; the rest is a few roundings.
    const double unit = 4 * method::kScoreUnit + 64 * count * 0x1p-53;
    const double mean = report.at("map").at("mean").get<double>();
    const double deviation = report.at("map").at("std").get<double>();
    QVERIFY(std::abs(mean - sum / count) <= unit);
    QVERIFY(std::abs(deviation * deviation + mean * mean - squares / count) <= unit);
    const std::string text = job::toSummary(result.report);
    QVERIFY(text.starts_with("Frames: 5, 5 peaks"));
    QVERIFY(job::toText(result.report).find("Frames: 5") != std::string::npos);
}

// The squares of these values leave the range of doubles.
void JobStreamTest::framesOfLargeValuesHaveADeviation() {
    const auto deviation = [](double scale) {
        base::AnyImage noise = test::noise(base::PixelType::Float64, {24, 20, 3}, 7);
        auto scene = std::make_shared<job::SceneImage>();
        auto scaled = std::move(std::get<base::Image<double>>(noise));
        std::for_each(scaled.data(), scaled.data() + scaled.count(),
                      [scale](double& value) { value *= scale; });
        scene->pixels = std::move(scaled);
        auto templ = std::make_shared<job::SceneImage>();
        templ->pixels = test::noise(base::PixelType::Float64, {5, 4, 1}, 8);
        Job job;
        job.stream = true;
        job.operation = *method::operationNamed("correlation");
        job.precision = method::Precision::Double;
        job.planning = plan::Planning::Estimate;
        return job::runJob(job, {scene, {templ}, {}, {}}).report.map->statistics.standardDeviation;
    };
    const double one = deviation(1);
    const double large = deviation(1e185) / 1e185;
    QVERIFY2(std::abs(large / one - 1) < 1e-12, std::to_string(large / one).c_str());
}

void JobStreamTest::aPlanIsThatOfTheFirstFrame() {
    const Stack stack(3);
    const test::Folder folder;
    Job job = stack.job();
    job.report = folder.path("plan.json");
    const job::JobReport report = job::planJob(job);
    QVERIFY(report.plan.chosen() != nullptr);
    QVERIFY(report.plan.problem.scene == kFrame);
    QVERIFY(folder.names() == (std::vector<std::string>{"plan.json"}));
    job = withStacks(stack.job(), folder);
    job.method = "auto";
    job.tile = {0, 0, 0};
    job.planning = plan::Planning::Measure;
    job.planReport = folder.path("plan.json");
    QVERIFY(job::runJob(job).report.plan.chosen()->candidate == report.plan.chosen()->candidate);
}

void JobStreamTest::whatAStreamHasNotIsRefused_data() {
    QTest::addColumn<QString>("option");
    for (const char* option : {"--map", "--status", "--index", "--heatmap", "--scene"}) {
        QTest::addRow("%s", option) << option;
    }
}

void JobStreamTest::whatAStreamHasNotIsRefused() {
    QFETCH(QString, option);
    const Stack stack(2);
    const test::Folder folder;
    Job job = withStacks(stack.job(), folder);
    const std::map<QString, std::filesystem::path Job::*> files{
        {"--map", &Job::map}, {"--status", &Job::status}, {"--index", &Job::index}};
    if (files.contains(option)) {
        job.*files.at(option) = folder.path("out.tif");
    } else if (option == "--heatmap") {
        job.heatmap = folder.path("heat.png");
    } else {
        job.furtherScenes = {stack.path("frame1.mha")};
    }
    const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job); });
    QVERIFY(thrown.code == ErrorCode::CommandLine);
    QVERIFY(option == "--scene" ? thrown.sentence.find("one stack") != std::string::npos
                                : thrown.sentence.starts_with(option.toStdString()));
    QVERIFY(folder.names().empty());
}

void JobStreamTest::aVolumeIsNoTemplate() {
    const Stack stack(4);
    const test::Folder folder;
    Job job = withStacks(stack.job(), folder);
    (void)io::writeImage(stack.path("volume.mha"),
                         base::viewOf(test::noise(base::PixelType::UInt8, {9, 9, 2}, 3)), {});
    job.templates = {stack.path("volume.mha")};
    const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job); });
    QVERIFY(thrown.code == ErrorCode::Problem);
    QVERIFY(thrown.sentence.find("has 2 slices, but --stream") != std::string::npos);
    QVERIFY(folder.names().empty());
}

void JobStreamTest::cancellingLeavesNothing_data() {
    QTest::addColumn<int>("phase");
    QTest::addColumn<int>("turn");
    for (const int turn : {0, 1, 3}) {
        for (const Phase phase : {Phase::Read, Phase::Run, Phase::Peaks, Phase::Write}) {
            QTest::addRow("%s frame %d", std::string(job::name(phase)).c_str(), turn)
                << static_cast<int>(phase) << turn;
        }
    }
}

void JobStreamTest::cancellingLeavesNothing() {
    QFETCH(int, phase);
    QFETCH(int, turn);
    const Stack stack(4);
    const test::Folder folder;
    std::stop_source source;
    Turns turns;
    turns.onPhase = [&](Phase at, int now) {
        if (static_cast<int>(at) == phase && now == turn) {
            source.request_stop();
        }
    };
    const job::JobResult result =
        job::runJob(withStacks(stack.job(), folder), {}, source.get_token(), &turns);
    QVERIFY(source.stop_requested());
    QVERIFY(result.cancelled);
    QVERIFY(result.report.frames.empty());
    QCOMPARE(turns.turns, turn + 1);
    QVERIFY(folder.names().empty());
}

void JobStreamTest::aDamagedFrameIsNamedAndNothingIsWritten() {
    const Stack stack(4, base::PixelType::UInt8, "stack.nrrd");
    // The bytes of three frames as hexadecimal digits, then something else.
    std::string text = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 70 52 4\nencoding: hex\n\n";
    for (int i = 0; i < 70 * 52 * 4; ++i) {
        text += i < 70 * 52 * 3 ? (i % 7 == 0 ? "1f" : "a0") : "zz";
    }
    io::writeText(stack.path("stack.nrrd"), text);
    const test::Folder folder;
    const test::Thrown thrown =
        test::thrownBy([&] { (void)job::runJob(withStacks(stack.job(), folder)); });
    QVERIFY(thrown.code == ErrorCode::Input);
    QVERIFY2(thrown.sentence.find("stack.nrrd, frame 3: ") != std::string::npos,
             thrown.sentence.c_str());
    QVERIFY(folder.names().empty());
}

const flcc::test::TestClass<JobStreamTest> kJobStreamTest;

#include "stream_test.moc"
