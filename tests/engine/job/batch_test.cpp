#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/batch.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using job::Batch;
using job::BatchReport;
using job::BatchState;
namespace fs = std::filesystem;

namespace {

/// A folder with four images, of which `b.mha` is cut and `c.mha` does not hold the template.
struct Case {
    test::Folder folder;
    Batch batch;

    Case() {
        fs::create_directories(folder.path("in/more"));
        fs::create_directories(folder.path("out"));
        const base::AnyImage first = test::noise(base::PixelType::UInt8, {80, 70, 1}, 7);
        const base::AnyView templ = base::partOf(base::viewOf(first), {{11, 9, 0}, {12, 11, 1}});
        (void)io::writeImage(folder.path("t.mha"), templ, {});
        (void)io::writeImage(folder.path("in/a.mha"), base::viewOf(first), {});
        (void)io::writeImage(folder.path("in/b.mha"), base::viewOf(first), {});
        fs::resize_file(folder.path("in/b.mha"), 900);
        const base::AnyImage other = test::noise(base::PixelType::Float32, {60, 90, 1}, 8);
        (void)io::writeImage(folder.path("in/c.mha"), base::viewOf(other), {});
        (void)io::writeImage(folder.path("in/more/a.mha"), base::viewOf(first), {});
        std::ofstream(folder.path("in/notes.txt")) << "no image";
        batch.job = test::matchOf({"any.mha", folder.path("t.mha").string(), "--threads", "1",
                                   "--planning", "estimate", "--min-score", "0.6", "--peaks",
                                   folder.path("out/{scene}-peaks.csv").string(), "--map",
                                   folder.path("out/map.mha").string()});
        batch.files = job::batchFiles({folder.path("in"), folder.path("in/more/a.mha")});
        batch.queue = folder.path("queue.jsonl");
        batch.peaks = folder.path("all.csv");
    }

    /// The bytes of every file in the folder of outputs, and of the table of all.
    [[nodiscard]] std::map<std::string, std::string> bytes() const {
        std::map<std::string, std::string> all;
        for (const auto& each : fs::directory_iterator(folder.path("out"))) {
            all[each.path().filename()] = test::bytesOf(each.path());
        }
        all["all.csv"] = test::bytesOf(folder.path("all.csv"));
        return all;
    }
};

/// A sink that stops before the search of scene `number`.
class Stopping : public job::JobSink {
  public:
    explicit Stopping(int number) : m_number(number) {}
    void phase(job::Phase now) override {
        m_number -= now == job::Phase::Run ? 1 : 0;
        if (m_number < 0) {
            m_source.request_stop();
        }
    }
    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

  private:
    int m_number;
    std::stop_source m_source;
};

} // namespace

class JobBatchTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aFileThatFailsStopsNoOther() {
        const Case made;
        std::vector<std::string> told;
        const BatchReport report =
            job::runBatch(made.batch, {}, nullptr,
                          [&](const job::BatchRow& row, std::size_t number, std::size_t of) {
                              QCOMPARE(of, std::size_t{4});
                              QCOMPARE(number, told.size());
                              told.push_back(row.file.filename());
                          });
        QVERIFY(told == (std::vector<std::string>{"a.mha", "b.mha", "c.mha", "a.mha"}));
        QVERIFY(!report.cancelled);
        QCOMPARE(report.count(BatchState::Done), std::int64_t{3});
        QCOMPARE(report.count(BatchState::Failed), std::int64_t{1});
        QVERIFY(report.rows[0].peaks >= 1);
        QVERIFY(report.rows[1].reason.find("b.mha") != std::string::npos);
        QCOMPARE(report.rows[2].peaks, std::int64_t{0});
        QVERIFY(report.rows[2].reason.find("threshold") != std::string::npos);
        // Named after their scenes; two of one name have some letters more, and the file that
        // failed left nothing.
        std::vector<std::string> names;
        for (const auto& [name, bytes] : made.bytes()) {
            names.push_back(name);
        }
        QCOMPARE(names.size(), std::size_t{7}); // three lists, three maps, the table
        QVERIFY(std::ranges::count(names, "c-peaks.csv") == 1);
        QVERIFY(std::ranges::count(names, "map-c.mha") == 1);
        QCOMPARE(std::ranges::count_if(
                     names, [](const std::string& name) { return name.starts_with("a-"); }),
                 std::ptrdiff_t{2});
        // As a run of its own.
        job::Job alone = job::batchJob(made.batch, 0);
        const std::string list = test::bytesOf(alone.peaks);
        (void)job::runJob(alone);
        QCOMPARE(test::bytesOf(alone.peaks), list);
    }

    void oneTableHasAllPeaks() {
        const Case made;
        const BatchReport report = job::runBatch(made.batch);
        std::istringstream lines(test::bytesOf(made.batch.peaks));
        std::string head;
        std::map<std::string, std::int64_t> rows; // by the last two columns
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with('#')) {
                continue;
            }
            if (head.empty()) {
                head = line;
                QVERIFY(head.starts_with("rank,"));
                QVERIFY(head.ends_with(",file,tomogram"));
                continue;
            }
            QCOMPARE(std::ranges::count(line, ','), std::ranges::count(head, ','));
            ++rows[line.substr(line.rfind(',', line.rfind(',') - 1) + 1)];
        }
        const auto countOf = [&](std::size_t row) {
            return rows[made.batch.files[row].string() + "," + report.rows[row].name];
        };
        QCOMPARE(countOf(0), report.rows[0].peaks);
        QCOMPARE(countOf(3), report.rows[3].peaks); // a file of the same name in another folder
        QVERIFY(report.rows[0].name != report.rows[3].name);
        QCOMPARE(rows.size(), std::size_t{2}); // one failed, one has no peaks
    }

    void whatIsStoppedGoesOnWithTheSameBytes() {
        Case made;
        (void)job::runBatch(made.batch);
        const auto whole = made.bytes();
        made.batch.goOn = true;
        for (int stop = 0; stop < 3; ++stop) {
            for (const auto& [name, bytes] : whole) {
                fs::remove(made.folder.path("out/" + name));
            }
            fs::remove(made.batch.peaks);
            fs::remove(made.batch.queue);
            Stopping sink(stop);
            const BatchReport first = job::runBatch(made.batch, sink.token(), &sink);
            QVERIFY(first.cancelled);
            QCOMPARE(first.count(BatchState::Done), std::int64_t{stop});
            QVERIFY(first.count(BatchState::Waiting) > 0);
            QVERIFY(!fs::exists(made.batch.peaks));
            std::ofstream(made.batch.queue, std::ios::app) << "{\"identity\": {\"size"; // a kill
            const BatchReport second = job::runBatch(made.batch);
            QVERIFY(!second.cancelled);
            QCOMPARE(std::ranges::count_if(second.rows, &job::BatchRow::earlier),
                     static_cast<std::ptrdiff_t>(stop));
            QVERIFY(made.bytes() == whole);
        }
    }

    void aChangedFileOrJobIsDoneAgain() {
        Case made;
        made.batch.goOn = true;
        (void)job::runBatch(made.batch);
        const auto before = made.bytes();
        BatchReport again = job::runBatch(made.batch);
        QCOMPARE(std::ranges::count_if(again.rows, &job::BatchRow::earlier), std::ptrdiff_t{3});
        QVERIFY(made.bytes() == before);
        // Moved, it is the same file.
        fs::rename(made.folder.path("in/c.mha"), made.folder.path("in/d.mha"));
        made.batch.files[2] = made.folder.path("in/d.mha");
        again = job::runBatch(made.batch);
        QVERIFY(!again.rows[2].earlier); // its outputs have another name
        const base::AnyImage other = test::noise(base::PixelType::UInt8, {60, 90, 1}, 9);
        (void)io::writeImage(made.folder.path("in/d.mha"), base::viewOf(other), {});
        again = job::runBatch(made.batch);
        QVERIFY(again.rows[0].earlier && !again.rows[2].earlier);
        fs::remove(again.rows[0].outputs.front());
        again = job::runBatch(made.batch);
        QVERIFY(!again.rows[0].earlier);
        // Another template under the same name is another job.
        const base::AnyImage templ = test::noise(base::PixelType::UInt8, {12, 11, 1}, 3);
        (void)io::writeImage(made.folder.path("t.mha"), base::viewOf(templ), {});
        again = job::runBatch(made.batch);
        QVERIFY(std::ranges::none_of(again.rows, &job::BatchRow::earlier));
        made.batch.job.minScore = 0.9;
        again = job::runBatch(made.batch);
        QVERIFY(std::ranges::none_of(again.rows, &job::BatchRow::earlier));
        // Without it everything is done.
        made.batch.goOn = false;
        again = job::runBatch(made.batch);
        QVERIFY(std::ranges::none_of(again.rows, &job::BatchRow::earlier));
    }

    void jobsThatCannotBeABatchAreRefused() {
        const auto sentence = [](const auto& change) {
            Case made;
            change(made);
            return test::thrownBy([&] { (void)job::runBatch(made.batch); }).sentence;
        };
        QVERIFY(sentence([](Case& made) {
                    made.batch.job.crops = {{{0, 0, 0}, {3, 3, 1}}};
                }).find("cuts one") != std::string::npos);
        QVERIFY(sentence([](Case& made) {
                    made.batch.job = made.batch.job.asked();
                    made.batch.peaks.clear();
                }).find("writes nothing") != std::string::npos);
        QVERIFY(!sentence([](Case& made) {
                     made.batch.job.map = made.folder.path("none/m.mha");
                 }).empty());
        QVERIFY(sentence([](Case& made) {
                    made.batch.peaks = made.folder.path("all.txt");
                }).find("--peaks") != std::string::npos);
        QVERIFY(!sentence([](Case& made) { // every file would write this one
                     made.batch.job.peaks = made.folder.path("in/{scene}.mha");
                 })
                     .empty());
        QVERIFY(!sentence([](Case& made) {
                     made.batch.goOn = true;
                     made.batch.queue = made.folder.path("in/notes.txt");
                 }).empty());
    }

    void aParticlesFileHasAllTomograms() {
        Case made;
        made.batch.peaks = made.folder.path("all.star");
        made.batch.job.peaksFormat = io::ListFormat::Relion5;
        made.batch.job.peaks.clear();
        made.batch.job.map = made.folder.path("out/map.mha");
        made.batch.job.peaksUnknowns.binning = 4;
        made.batch.job.peaksUnknowns.unbinnedPixel = 1.35;
        made.batch.job.peaksUnknowns.unbinnedSize = base::Extents{320, 280, 4};
        made.batch.files = {made.folder.path("in/a.mha"), made.folder.path("in/c.mha")};
        const BatchReport report = job::runBatch(made.batch);
        QCOMPARE(report.count(BatchState::Done), std::int64_t{2});
        const std::string star = test::bytesOf(made.batch.peaks);
        QVERIFY(star.find("_rlnTomoName") != std::string::npos);
    }
};

const flcc::test::TestClass<JobBatchTest> kJobBatchTest;

#include "batch_test.moc"
