#include <QtTest>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/io/digest.h"
#include "engine/job/any_job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using job::Job;
using job::JobResult;

namespace {

/// Stops the search when so many members are searched.
class Stopper : public job::JobSink {
  public:
    explicit Stopper(std::int64_t at) : m_at(at) {}
    void searched(std::int64_t members, std::int64_t of) override {
        m_told.push_back(members);
        m_of = of;
        if (members >= m_at) {
            m_stop.request_stop();
        }
    }
    void bestSoFar(std::shared_ptr<const method::MatchMap>) override {}

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
    [[nodiscard]] const std::vector<std::int64_t>& told() const { return m_told; }
    [[nodiscard]] std::int64_t of() const { return m_of; }

  private:
    std::int64_t m_at;
    std::stop_source m_stop;
    std::vector<std::int64_t> m_told;
    std::int64_t m_of = 0;
};

job::JobImages images(unsigned seed = 7) {
    return test::imagesOf(test::noise(base::PixelType::Float32, {26, 24, 22}, seed),
                          test::noise(base::PixelType::Float32, {6, 5, 5}, 8));
}

Job searching(const test::Folder& folder, const std::string& outputs) {
    Job job;
    job.poses.rotations = "60";
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.minScore = 0.2;
    std::filesystem::create_directories(folder.path(outputs));
    job.map = folder.path(outputs + "/map.mha");
    job.status = folder.path(outputs + "/status.mha");
    job.index = folder.path(outputs + "/index.mha");
    job.peaks = folder.path(outputs + "/peaks.csv");
    return job;
}

std::vector<std::string> bytes(const Job& job) {
    std::vector<std::string> all{test::bytesOf(job.map), test::bytesOf(job.status),
                                 test::bytesOf(job.index), test::bytesOf(job.peaks)};
    for (const char* what : {"-mean", "-deviation", "-z"}) {
        if (!job.searchMaps.empty()) {
            std::string file = job.searchMaps.string();
            all.push_back(test::bytesOf(file.insert(file.rfind('.'), what)));
        }
    }
    return all;
}

std::filesystem::path onlyFileIn(const std::filesystem::path& folder) {
    std::filesystem::path found;
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
        QTest::qVerify(found.empty(), "one file", "", __FILE__, __LINE__);
        found = each.path();
    }
    return found;
}

} // namespace

class KeptSearchTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void aStoppedSearchGoesOnWithTheSameBytes_data() {
        QTest::addColumn<bool>("inDouble");
        QTest::addColumn<bool>("statistics");
        if (!test::kSanitized) { // the third makes the same reads and writes, and more
            QTest::newRow("single") << false << false;
            QTest::newRow("double") << true << false;
        }
        QTest::newRow("statistics") << false << true;
    }

    static void aStoppedSearchGoesOnWithTheSameBytes() {
        QFETCH(bool, inDouble);
        QFETCH(bool, statistics);
        const test::Folder folder;
        const auto with = [&](const std::string& outputs) {
            Job job = searching(folder, outputs);
            job.searchStatistics = statistics;
            job.searchMaps = statistics ? folder.path(outputs + "/s.mha") : "";
            return job;
        };
        Job whole = with("whole");
        whole.precision = inDouble ? method::Precision::Double : method::Precision::Single;
        const JobResult expected = job::runJob(whole, images());
        const std::int64_t members = expected.report.poses->members;
        QVERIFY(members > 2 * expected.report.poses->batch);

        Job parts = with("parts");
        parts.precision = whole.precision;
        parts.resume = folder.path("kept/searches");
        std::int64_t before = 0;
        for (const std::int64_t at : {members / 4, members / 2}) {
            Stopper stopper(at);
            const JobResult stopped = job::runJob(parts, images(), stopper.token(), &stopper);
            QVERIFY(stopped.cancelled);
            QVERIFY(!std::filesystem::exists(parts.map));
            QCOMPARE(stopper.of(), members);
            // It goes on where it was, and each batch is told once.
            QVERIFY(stopper.told().front() >= before);
            QVERIFY(std::ranges::is_sorted(stopper.told()));
            before = stopper.told().back();
            QVERIFY(before >= at && before < members);
        }
        Stopper none(members + 1);
        const JobResult result = job::runJob(parts, images(), none.token(), &none);
        QCOMPARE(result.report.poses->kept, before);
        QCOMPARE(none.told().front(), before);
        QCOMPARE(bytes(parts), bytes(whole));
        QCOMPARE(result.report.map->facts.scores.sum, expected.report.map->facts.scores.sum);
        QCOMPARE(result.report.map->facts.statusCounts, expected.report.map->facts.statusCounts);
        QVERIFY(std::ssize(result.peaks) > 2);
        QCOMPARE(result.report.search.has_value(), statistics);
        QVERIFY(!statistics || result.report.search->likeness == expected.report.search->likeness);

        // A finished search is not run again.
        parts.minScore = 0.3;
        whole.minScore = 0.3;
        (void)job::runJob(whole, images());
        const JobResult again = job::runJob(parts, images());
        QCOMPARE(again.report.poses->kept, members);
        QVERIFY(!again.report.poses->perSecond);
        QCOMPARE(bytes(parts), bytes(whole));
        QVERIFY(!statistics || again.report.search->likeness == expected.report.search->likeness);
    }

    // Short memory makes smaller batches, also of what is left.
    static void batchesOfAnySizeGiveTheSameBytes() {
        const test::Folder folder;
        const auto with = [&](const std::string& outputs) {
            Job job = searching(folder, outputs);
            job.method = "tiled";
            job.tile = {16, 16, 16};
            job.searchStatistics = true;
            job.searchMaps = folder.path(outputs + "/s.mha");
            return job;
        };
        const Job whole = with("whole");
        const JobResult expected = job::runJob(whole, images());
        Job small = with("small");
        std::vector<std::int64_t> sizes{expected.report.poses->batch};
        std::int64_t least = expected.report.poses->memoryBytes;
        while (sizes.back() > 4) {
            small.memoryBytes = least - 1;
            const JobResult result = job::runJob(small, images());
            QCOMPARE(bytes(small), bytes(whole));
            QCOMPARE(result.report.map->facts.scores.sum, expected.report.map->facts.scores.sum);
            QCOMPARE(result.report.search->likeness, expected.report.search->likeness);
            QVERIFY(result.report.poses->batch < sizes.back());
            QVERIFY(result.report.poses->memoryBytes < least);
            least = result.report.poses->memoryBytes;
            sizes.push_back(result.report.poses->batch);
        }
        QVERIFY(sizes.size() >= 3);
        small.memoryBytes = least / 2;
        const test::Thrown refused = test::thrownBy([&] { (void)job::runJob(small, images()); });
        QCOMPARE(refused.code, base::ErrorCode::Memory);
        // The limit that was given, not what members and maps leave of it; and it is enough.
        const std::string given = "the memory limit of " + base::bytesText(small.memoryBytes);
        QVERIFY2(refused.sentence.find(given) != std::string::npos, refused.sentence.c_str());
        QVERIFY2(refused.sentence.find("needs at least " + base::bytesText(least)) !=
                     std::string::npos,
                 refused.sentence.c_str());

        Job parts = with("parts");
        parts.memoryBytes = least;
        parts.resume = folder.path("kept");
        Stopper stopper(3);
        QVERIFY(job::runJob(parts, images(), stopper.token(), &stopper).cancelled);
        QVERIFY(stopper.told().back() < sizes.front());
        parts.memoryBytes = 0;
        const JobResult result = job::runJob(parts, images());
        QCOMPARE(result.report.poses->kept, stopper.told().back());
        QCOMPARE(result.report.poses->batch, sizes.front());
        QCOMPARE(bytes(parts), bytes(whole));
    }

    static void otherSearchesBeginAnew() {
        const test::Folder folder;
        Job job = searching(folder, "one");
        job.resume = folder.path("kept");
        (void)job::runJob(job, images());
        const std::filesystem::path file = onlyFileIn(job.resume);
        const auto kept = [&](const Job& each, const job::JobImages& on) {
            return job::planJob(each, on).poses->kept;
        };
        QVERIFY(kept(job, images()) > 0);
        QCOMPARE(kept(job, images(9)), 0); // another scene
        Job other = job;
        other.poses.rotations = "90";
        QCOMPARE(kept(other, images()), 0);
        other = job;
        other.poses.mirror = true;
        QCOMPARE(kept(other, images()), 0);
        other = job;
        other.promise = 1e-5;
        QCOMPARE(kept(other, images()), 0);
        other = job;
        other.masks = {"sphere:2"};
        QCOMPARE(kept(other, images()), 0);
        other = job;
        other.preparation.wedge = "40,40"; // changes the members alone
        QCOMPARE(kept(other, images()), 0);
        other = job;
        other.method = "direct";
        QCOMPARE(kept(other, images()), 0);
        other = job;
        other.searchStatistics = true; // the file has no sums
        QCOMPARE(kept(other, images()), 0);
        other = job;
        other.minScore = 0.9;
        other.maxPeaks = 3;
        QVERIFY(kept(other, images()) > 0);
        QCOMPARE(onlyFileIn(job.resume), file); // planning writes nothing
    }

    static void damagedFilesAreRefused() {
        const test::Folder folder;
        Job job = searching(folder, "one");
        job.resume = folder.path("kept");
        (void)job::runJob(job, images());
        const std::filesystem::path file = onlyFileIn(job.resume);
        const std::string good = test::bytesOf(file);
        const auto write = [&](const std::string& text) {
            std::ofstream(file, std::ios::binary) << text;
        };
        const auto code = [&] { return test::thrownBy([&] { (void)job::runJob(job, images()); }); };
        std::string bad = good;
        bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
        for (const std::string& text :
             {std::string(), good.substr(0, 30), good.substr(0, good.size() - 1), good + "x", bad,
              "x" + good}) {
            write(text);
            const test::Thrown thrown = code();
            QCOMPARE(thrown.code, base::ErrorCode::Input);
            QVERIFY(thrown.sentence.find("delete it to search from the beginning") !=
                    std::string::npos);
        }
        write(good);
        QCOMPARE(code().code, base::ErrorCode::Internal); // none
    }

    /// A right digest says that a file is whole, not that its numbers are those of this search.
    static void membersOfAnotherSearchAreRefused() {
        const test::Folder folder;
        Job job = searching(folder, "one");
        job.resume = folder.path("kept");
        const JobResult result = job::runJob(job, images());
        const std::filesystem::path file = onlyFileIn(job.resume);
        const std::string good = test::bytesOf(file);
        const std::size_t body = good.size() - 64; // then the digest
        const auto code = [&](std::string text) {
            io::Digest digest;
            text.resize(text.size() - 64);
            digest.add(text.data(), text.size());
            text += digest.text();
            std::ofstream(file, std::ios::binary) << text;
            return test::thrownBy([&] { (void)job::runJob(job, images()); }).code;
        };
        QCOMPARE(code(good), base::ErrorCode::Internal); // none
        const auto voxels = static_cast<std::size_t>(result.map->status.count());
        for (const std::int32_t member : {1 << 30, -2}) { // the last row is of indices
            std::string bad = good;
            std::memcpy(bad.data() + body - sizeof(member), &member, sizeof(member));
            QCOMPARE(code(bad), base::ErrorCode::Input);
        }
        std::string status = good;
        status[body - 5 * voxels] = 77;
        QCOMPARE(code(status), base::ErrorCode::Input);
        // As many digits, so that the header keeps its length.
        std::string members = good;
        const std::string text = std::to_string(result.report.poses->members);
        const std::size_t at = members.find("\"members\":" + text) + 10;
        QVERIFY(at > 10 && at < body);
        members.replace(at, text.size(), std::string(text.size(), '9'));
        QCOMPARE(code(members), base::ErrorCode::Input);
        // Opening a pipe would wait for its writer.
        std::filesystem::remove(file);
        QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
        QCOMPARE(test::thrownBy([&] { (void)job::runJob(job, images()); }).code,
                 base::ErrorCode::Input);
    }

    static void badUsesAreRefused() {
        const test::Folder folder;
        Job job = searching(folder, "one");
        job.resume = folder.path("kept");
        job.repeat = 2;
        const auto code = [&](const Job& each) {
            return test::thrownBy([&] { (void)job::runJob(each, images()); }).code;
        };
        QCOMPARE(code(job), base::ErrorCode::CommandLine);
        job.repeat = 1;
        job.poses.rotations.clear();
        QCOMPARE(code(job), base::ErrorCode::CommandLine);
        job.poses.rotations = "60";
        std::ofstream(folder.path("file")) << "no folder";
        job.resume = folder.path("file");
        QCOMPARE(code(job), base::ErrorCode::Output);
        QVERIFY(test::matchOf(job::toArguments(job)) == job);
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    }
};

const flcc::test::TestClass<KeptSearchTest> kKeptSearchTest;
#include "kept_search_test.moc"
