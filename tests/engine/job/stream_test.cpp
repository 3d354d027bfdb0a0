#include <QtTest>

#include <fstream>
#include <map>
#include <sstream>
#include <stop_token>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/io/stack_writer.h"
#include "engine/job/job.h"
#include "engine/job/peak_search.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using job::Job;
using job::Phase;
using Json = nlohmann::json;

namespace {

constexpr base::Extents kFrame{70, 52, 1};
constexpr base::Box kPiece{{20, 30, 0}, {12, 10, 1}};

base::Box sliceAt(std::int64_t z) { return {{0, 0, z}, kFrame}; }

/// A stack of noise that holds a template in every frame, at another place.
class Stack {
  public:
    explicit Stack(int frames, base::PixelType type = base::PixelType::UInt8,
                   const std::string& name = "stack.mha")
        : m_name(name) {
        base::AnyImage stack = test::noise(type, {kFrame.x, kFrame.y, frames}, 7);
        const base::AnyImage piece = test::crop(stack, kPiece);
        for (int z = 1; z < frames; ++z) {
            test::paste(stack, piece, {kPiece.corner.x + z % 30, kPiece.corner.y - z % 25, z});
        }
        base::Geometry geometry;
        geometry.spacing = {0.5, 0.25, 3};
        geometry.origin = {1, 2, 3};
        (void)io::writeImage(path(name), base::viewOf(stack), geometry);
        (void)io::writeImage(path("template.mha"), base::viewOf(piece), {});
        (void)io::writeImage(path("second.mha"),
                             base::viewOf(test::crop(stack, {{41, 7, 0}, kPiece.extents})), {});
        for (int z = 0; z < frames; ++z) { // as the frame stands in the world
            (void)io::writeImage(path("frame" + std::to_string(z) + ".mha"),
                                 base::viewOf(test::crop(stack, sliceAt(z))),
                                 base::movedTo(geometry, {0, 0, static_cast<double>(z)}));
        }
    }
    [[nodiscard]] std::filesystem::path path(const std::string& name) const {
        return m_folder.path(name);
    }
    [[nodiscard]] Job job() const {
        Job job;
        job.scene = path(m_name);
        job.templates = {path("template.mha")};
        job.stream = true;
        job.planning = plan::Planning::Estimate;
        job.method = "tiled"; // the same tiles, whatever the machine
        job.tile = {64, 64, 64};
        return job;
    }
    [[nodiscard]] Job alone(int frame) const {
        Job alone = job();
        alone.scene = path("frame" + std::to_string(frame) + ".mha");
        alone.stream = false;
        return alone;
    }

  private:
    std::string m_name;
    test::Folder m_folder;
};

/// All outputs that a stream has.
Job withStacks(Job job, const test::Folder& folder) {
    job.map = folder.path("map.mha");
    job.status = folder.path("status.nrrd");
    job.peaks = folder.path("peaks.csv");
    job.report = folder.path("report.json");
    return job;
}

/// The slice `z` of a file of voxels, as bytes.
std::string sliceOf(const std::filesystem::path& file, std::int64_t z) {
    const io::LoadedImage image = io::readImage(file);
    const base::AnyImage& all = image.components.front();
    const base::Extents n = image.info.extents;
    const base::AnyImage slice =
        base::copyOf(base::partOf(base::viewOf(all), {{0, 0, z}, {n.x, n.y, 1}}));
    return std::visit(
        [](const auto& typed) {
            return std::string(reinterpret_cast<const char*>(typed.data()),
                               static_cast<std::size_t>(typed.count()) * sizeof(*typed.data()));
        },
        slice);
}

/// The rows of a list of peaks, without comments and names.
std::vector<std::string> rowsOf(const std::filesystem::path& file) {
    std::istringstream text(test::bytesOf(file));
    std::vector<std::string> rows;
    for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("#") && !line.starts_with("rank")) {
            rows.push_back(line);
        }
    }
    return rows;
}

/// The row with another value in the column wz.
std::string withWz(const std::string& row, const std::string& wz) {
    std::size_t begin = 0;
    for (int column = 0; column < 10; ++column) {
        begin = row.find(',', begin) + 1;
    }
    return row.substr(0, begin) + wz + row.substr(row.find(',', begin));
}

class Turns : public job::JobSink {
  public:
    int turns = 0;
    std::vector<bool> readAhead;
    std::function<void(Phase, int)> onPhase;

    [[nodiscard]] bool wantsMaps() const override { return false; }
    void sceneStarted(const job::SceneTurn& at) override {
        QVERIFY(at.isFrame);
        QCOMPARE(at.turn, turns);
        QCOMPARE(at.number, turns);
        ++turns;
    }
    void sceneFinished(const job::SceneTurn&, const job::JobResult& result) override {
        if (result.report.stream) {
            readAhead.push_back(result.report.stream->readAhead.value_or(false));
        }
    }
    void phase(Phase phase) override {
        if (onPhase) {
            onPhase(phase, turns - 1);
        }
    }
};

/// Keeps the maps of all frames.
class Keeper : public job::JobSink {
  public:
    std::vector<std::shared_ptr<const method::MatchMap>> maps;
    [[nodiscard]] bool wantsMaps() const override { return false; }
    void sceneFinished(const job::SceneTurn&, const job::JobResult& result) override {
        maps.push_back(result.map);
    }
};

/// As the window.
class StackSink : public job::JobSink {
  public:
    std::vector<std::shared_ptr<const method::MatchMap>> maps;
    std::vector<base::Box> regions;
    void mapStarted(std::shared_ptr<const method::MatchMap> map) override {
        maps.push_back(std::move(map));
    }
    void regionFinished(const base::Box& box) override { regions.push_back(box); }
};

/// Largest resident memory of this process so far, in bytes.
std::int64_t peakMemory() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "VmHWM:") {
    }
    std::int64_t kib = 0;
    status >> kib;
    return kib * 1024;
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
    void aStackInMemoryIsNotRead();
    void oneSliceIsAStackOfOne();
    void theReportHasARowForEachFrame();
    void aPlanIsThatOfTheFirstFrame();
    void littleMemoryChangesNothing();
    void whatAStreamHasNotIsRefused_data();
    void whatAStreamHasNotIsRefused();
    void aVolumeIsNoTemplate();
    void memoryDoesNotGrowWithTheFrames();
    void resultsInMemoryAreOneStack();
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
        const job::JobResult one = job::runJob(with(withStacks(stack.alone(z), own)));
        QVERIFY(sliceOf(folder.path("map.mha"), z) == sliceOf(own.path("map.mha"), 0));
        QVERIFY(sliceOf(folder.path("status.nrrd"), z) == sliceOf(own.path("status.nrrd"), 0));
        for (const std::string& row : rowsOf(own.path("peaks.csv"))) {
            // A flat file has no z in the world.
            peaks.push_back(withWz(row, std::to_string(3 + 3 * z)) + "," + std::to_string(z));
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
        if (extension != "png") { // which holds no stack
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

void JobStreamTest::aStackInMemoryIsNotRead() {
    const Stack stack(3);
    const test::Folder folder;
    (void)job::runJob(withStacks(stack.job(), folder));
    job::JobImages images;
    images.scene = job::loadImage(stack.path("stack.mha"), {}, {});
    const test::Folder again;
    Job job = withStacks(stack.job(), again);
    std::filesystem::remove(stack.path("stack.mha"));
    const job::JobResult result = job::runJob(job, images);
    for (const char* name : {"map.mha", "status.nrrd", "peaks.csv"}) {
        QVERIFY(test::bytesOf(folder.path(name)) == test::bytesOf(again.path(name)));
    }
    QCOMPARE(result.report.inputs.front().sha256, images.scene->sha256);
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

void JobStreamTest::littleMemoryChangesNothing() {
    const Stack stack(4);
    const test::Folder folder;
    const job::JobResult result = job::runJob(withStacks(stack.job(), folder));
    const test::Folder little;
    Job job = withStacks(stack.job(), little);
    // As much as one run is predicted to take: nothing is left for another frame.
    job.memoryBytes = result.report.plan.chosen()->prediction->hostBytes;
    Turns turns;
    (void)job::runJob(job, {}, {}, &turns);
    QVERIFY(turns.readAhead == std::vector<bool>(4, false));
    for (const char* name : {"map.mha", "status.nrrd", "peaks.csv"}) {
        QVERIFY(test::bytesOf(folder.path(name)) == test::bytesOf(little.path(name)));
    }
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

void JobStreamTest::memoryDoesNotGrowWithTheFrames() {
    if (test::kSanitized) {
        QSKIP("a sanitizer keeps freed memory");
    }
    constexpr base::Extents kLarge{512, 512, 1};
    const test::Folder folder;
    const auto run = [&](int frames, job::JobSink* sink) {
        const std::filesystem::path file = folder.path("large.mha");
        io::AtomicFile target(file);
        io::StackWriter writer(target, base::PixelType::UInt8, {512, 512, frames}, {});
        const base::AnyImage frame = test::noise(base::PixelType::UInt8, kLarge, 3);
        for (int z = 0; z < frames; ++z) {
            QVERIFY(writer.append(base::viewOf(frame)));
        }
        writer.finish();
        target.commit();
        Job job;
        job.scene = file;
        job.stream = true;
        job.crops = {kPiece};
        job.method = "tiled";
        job.tile = {128, 128, 128};
        job.planning = plan::Planning::Estimate;
        (void)job::runJob(withStacks(job, folder), {}, {}, sink);
    };
    Turns turns;
    run(8, &turns);
    const std::int64_t few = peakMemory();
    turns.turns = 0;
    run(64, &turns);
    const std::int64_t many = peakMemory();
    // Half of what the maps, values and statuses, of the 56 further frames take.
    const std::int64_t limit = std::int64_t{56} * 501 * 503 * 5 / 2;
    QVERIFY2(many - few < limit, std::to_string(many - few).c_str());
    Keeper keeper; // shows that the measure sees what is kept
    run(64, &keeper);
    QVERIFY(peakMemory() - few > limit);
}

void JobStreamTest::resultsInMemoryAreOneStack() {
    const Stack stack(3);
    const test::Folder folder;
    job::JobImages images;
    images.scene = job::loadImage(stack.path("stack.mha"), {}, {});
    Job job = withStacks(stack.job(), folder);
    job.minScore = 0.2;
    job.templates.clear();
    job.crops = {{{kPiece.corner.x + 1, kPiece.corner.y - 1, 1}, kPiece.extents}}; // of frame 1
    StackSink sink;
    const job::JobResult result = job::runJob(job, images, {}, &sink);
    QCOMPARE(sink.maps.size(), std::size_t{1});
    QVERIFY(sink.maps.front() == result.map);
    QVERIFY(result.scene == images.scene);
    QVERIFY(result.map->value.extents() == (base::Extents{59, 43, 3}));
    QCOMPARE(sink.regions.size(), std::size_t{3});
    QVERIFY(sink.regions[2] == (base::Box{{0, 0, 2}, {59, 43, 1}}));
    const io::LoadedImage map = io::readImage(folder.path("map.mha"));
    const auto& written = std::get<base::Image<float>>(map.components.front());
    QVERIFY(std::equal(written.data(), written.data() + written.count(), result.map->value.data()));
    const std::vector<std::string> rows = rowsOf(folder.path("peaks.csv"));
    QCOMPARE(result.peaks.size(), rows.size());
    QVERIFY(rows.size() > 10);
    for (const match::Peak& peak : result.peaks) {
        QCOMPARE(peak.centre[2], static_cast<double>(peak.corner.z));
    }
    for (std::size_t i = 1; i < result.peaks.size(); ++i) {
        QVERIFY(result.peaks[i - 1].score >= result.peaks[i].score);
    }
    QCOMPARE(result.peaks.front().score, 1.0);
    // Searched again: the same list, and one with another threshold as a run with it gives.
    for (const double least : {0.2, 0.25}) {
        Job other = job;
        other.minScore = least;
        const std::vector<match::Peak> again = job::searchPeaks(result, other, images.scene).peaks;
        const std::vector<match::Peak> expected = job::runJob(other, images).peaks;
        QCOMPARE(again.size(), expected.size());
        for (std::size_t i = 0; i < again.size(); ++i) {
            QVERIFY(again[i].corner == expected[i].corner);
            QCOMPARE(again[i].score, expected[i].score);
            QVERIFY(again[i].zscore == expected[i].zscore);
            QVERIFY(again[i].world == expected[i].world);
        }
    }
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
