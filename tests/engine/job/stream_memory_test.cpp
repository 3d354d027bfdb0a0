#include <QtTest>

#include <algorithm>
#include <fstream>

#include "engine/io/image_file.h"
#include "engine/io/stack_writer.h"
#include "engine/job/job.h"
#include "engine/job/kept_map.h"
#include "tests/engine/job/stream_cases.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using job::Job;
using test::kPiece;
using test::rowsOf;
using test::Stack;
using test::Turns;
using test::withStacks;

namespace {

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

class JobStreamMemoryTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void littleMemoryChangesNothing();
    void memoryDoesNotGrowWithTheFrames();
    void resultsInMemoryAreOneStack();
    void aStackInMemoryIsNotRead();
};

void JobStreamMemoryTest::littleMemoryChangesNothing() {
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

void JobStreamMemoryTest::memoryDoesNotGrowWithTheFrames() {
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

void JobStreamMemoryTest::resultsInMemoryAreOneStack() {
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
        const std::vector<match::Peak> again =
            job::extractPeaks(*job::keepMap(result, other, images.scene), job::thresholdsOf(other))
                .peaks;
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

void JobStreamMemoryTest::aStackInMemoryIsNotRead() {
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

const flcc::test::TestClass<JobStreamMemoryTest> kJobStreamMemoryTest;

#include "stream_memory_test.moc"
