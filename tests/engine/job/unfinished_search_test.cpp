#include <QtTest>

#include <algorithm>

#include <cstring>
#include <string>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/job/kept_map.h"
#include "engine/job/replay.h"
#include "engine/rotation/pose_bank.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

// What is left of a search over poses that somebody stops.

using namespace flcc;
using base::Extents;
using job::Job;
using job::JobResult;

namespace {

/// Stops the search when a share of the orientations is searched: between two batches, or inside of
/// one.
class Stopper : public job::JobSink {
  public:
    Stopper(double share, bool inside) : m_share(share), m_inside(inside) {}
    void phase(job::Phase phase) override { m_runs = phase == job::Phase::Run; }
    void progress(double share) override {
        if (m_inside && m_runs && share > m_share) {
            m_stop.request_stop();
        }
    }
    void searched(std::int64_t members, std::int64_t of) override {
        m_searched = members;
        if (!m_inside && static_cast<double>(members) > m_share * static_cast<double>(of)) {
            m_stop.request_stop();
        }
    }
    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
    [[nodiscard]] std::int64_t searched() const { return m_searched; }

  private:
    double m_share;
    bool m_inside;
    bool m_runs = false;
    std::stop_source m_stop;
    std::int64_t m_searched = 0;
};

job::JobImages images() {
    return test::imagesOf(test::noise(base::PixelType::Float32, {26, 24, 22}, 7),
                          test::noise(base::PixelType::Float32, {6, 5, 5}, 8));
}

Job searching() {
    Job job;
    job.poses.rotations = "60";
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    return job;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class UnfinishedSearchTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void theBestScoresSoFarAreKept_data() {
        QTest::addColumn<bool>("inside");
        QTest::newRow("between batches") << false;
        QTest::newRow("inside of a batch") << true;
    }

    static void theBestScoresSoFarAreKept() {
        QFETCH(bool, inside);
        const test::Folder folder;
        Job job = searching();
        const JobResult whole = job::runJob(job, images());
        job.map = folder.path("map.mha");
        Stopper stopper(0.5, inside);
        const JobResult part = job::runJob(job, images(), stopper.token(), &stopper);
        QVERIFY(part.cancelled && !std::filesystem::exists(job.map));
        const job::PosesReport& poses = *part.report.poses;
        const std::int64_t done = poses.done;
        QCOMPARE(done, stopper.searched());
        QVERIFY(done >= poses.batch && done < poses.members);
        QVERIFY(job::isUnfinished(part.report) && job::isWhole(part));
        QVERIFY(!job::isUnfinished(whole.report) && whole.report.poses->done == poses.members);

        const std::int64_t count = whole.map->value.count();
        std::int64_t same = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int32_t best = whole.index->data()[i];
            const std::int32_t sofar = part.index->data()[i];
            QVERIFY(sofar < done && (sofar >= 0 || best < 0 || best >= done)); // at the border
            const float wanted = whole.map->value.data()[i];
            const float has = part.map->value.data()[i];
            QVERIFY(best < done ? has == wanted && sofar == best : sofar < 0 || has <= wanted);
            same += best < done ? 1 : 0;
        }
        QVERIFY(same > count / 4 && same < count);
        // Scores of the stopped batch are not counted.
        const job::JobImages own = images();
        const base::AnyImage& templ = own.templates[0]->pixels;
        std::vector<rotation::Turner> turners;
        turners.emplace_back(base::viewOf(templ), base::View<const std::uint8_t>(), false, false);
        const rotation::PoseBank bank(std::move(turners),
                                      rotation::spaceCover(rotation::parseRotations("60"), {}));
        std::int64_t counted = 0;
        for (std::int64_t i = 0; i < bank.count(); ++i) {
            if (i == done) {
                QCOMPARE(part.report.map->facts.scores.count, counted);
            }
            counted += base::voxelCount(base::validExtents({26, 24, 22}, bank.ownBox(i).extents));
        }
        QCOMPARE(whole.report.map->facts.scores.count, counted);
        QCOMPARE(
            part.report.map->facts.statusCounts[0],
            std::count(part.map->status.data(), part.map->status.data() + count, base::Status::Ok));
        for (const plan::CandidateReport& row : part.report.plan.candidates) {
            QVERIFY(!row.measuredMs || row.verdict != plan::CandidateVerdict::Chosen);
        }
    }

    static void itsPeaksSayThatTheyAreUnfinished() {
        Job job = searching();
        job.minScore = 0.2;
        Stopper stopper(0.5, false);
        const job::JobImages with = images();
        const JobResult part = job::runJob(job, with, stopper.token(), &stopper);
        const auto kept = job::keepMap(part, job, with.scene);
        const job::FoundPeaks found = job::extractPeaks(*kept, job::thresholdsOf(job));
        QVERIFY(found.peaks.size() > 2 && found.peaks.front().pose);
        const std::string said = std::to_string(part.report.poses->done) + " of " +
                                 std::to_string(part.report.poses->members);
        QVERIFY(holds(found.incomplete, "unfinished: " + said));
        QVERIFY(holds(part.report.peaksIncomplete, said));
        const std::string json = job::toJson(part.report);
        for (const std::string& text : {json, job::toText(part.report), job::toHtml(part.report)}) {
            QVERIFY(holds(text, "unfinished: " + said + " orientations"));
        }
        QVERIFY(holds(job::toHtml(part.report), "(unfinished)</h1>"));
        const test::Folder folder;
        io::writeText(folder.path("part.json"), json);
        const test::Thrown refused =
            test::thrownBy([&] { (void)job::replay(folder.path("part.json")); });
        QVERIFY(holds(refused.sentence, "stopped its search"));

        const JobResult whole = job::runJob(job, with);
        for (const std::string& text :
             {job::toJson(whole.report), job::toText(whole.report), job::toHtml(whole.report)}) {
            QVERIFY(!holds(text, "unfinished:") && !holds(text, "(unfinished)"));
        }
        QCOMPARE(job::extractPeaks(*job::keepMap(whole, job, with.scene), job::thresholdsOf(job))
                     .incomplete,
                 std::string());
    }

    static void statisticsAndFramesNeedTheWholeSearch() {
        Job job = searching();
        job.searchStatistics = true;
        Stopper stopper(0.5, true);
        const JobResult part = job::runJob(job, images(), stopper.token(), &stopper);
        QVERIFY(job::isUnfinished(part.report) && !part.search && !part.report.search);

        job = searching();
        job.poses.rotations = "0.2";
        job.stream = true;
        Stopper second(0.5, true);
        const JobResult frame =
            job::runJob(job,
                        test::imagesOf(test::noise(base::PixelType::Float32, {60, 50, 2}, 7),
                                       test::noise(base::PixelType::Float32, {9, 8, 1}, 8)),
                        second.token(), &second);
        QVERIFY(frame.cancelled && !job::isUnfinished(frame.report));
        for (std::int64_t i = 0; frame.map && i < frame.map->status.count(); ++i) {
            QCOMPARE(frame.map->status.data()[i], base::Status::NotComputed);
        }
    }
};

const flcc::test::TestClass<UnfinishedSearchTest> kUnfinishedSearchTest;
#include "unfinished_search_test.moc"
