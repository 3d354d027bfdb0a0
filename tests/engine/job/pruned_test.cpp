#include <QtTest>

#include <cmath>
#include <functional>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/any_job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/posed_shapes.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using job::Job;

namespace {

base::Image<float> shapes(const std::vector<test::Placed>& all) {
    return test::drawn({96, 90, 1}, all);
}

/// Waves of many directions, of 20 to 90 pixels.
base::Image<float> waves(const base::Extents& n, double left, double top) {
    base::Image<float> image(n);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const double x = static_cast<double>(i % n.x) + left;
        const double y = static_cast<double>(i / n.x) + top;
        double value = 0;
        for (int k = 0; k < 24; ++k) {
            const double length = 20 + 3 * k;
            value += std::sin(6.28 / length * (x * std::cos(2.4 * k) + y * std::sin(2.4 * k)) + k);
        }
        image.data()[i] = static_cast<float>(value);
    }
    return image;
}

std::vector<test::Placed> placed(double degrees) {
    return {{.centre = {30, 28, 0}, .turn = test::onScreen(degrees)},
            {.centre = {64.3, 58.6, 0}, .turn = test::onScreen(degrees + 130)},
            // So near to the border that the box of all poses has no room.
            {.centre = {15, 73, 0}, .turn = test::onScreen(degrees - 20)}};
}

job::JobImages images(double degrees) {
    return test::imagesOf(shapes(placed(degrees)),
                          test::drawn({27, 27, 1}, {{.centre = {13, 13, 0}}}));
}

Job searching(job::Search search) {
    Job job;
    job.poses.rotations = "10";
    job.poses.search = search;
    job.minScore = 0.7;
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    return job;
}

Job searchingAs(Job job, job::Search search) {
    job.poses.search = search;
    return job;
}

bool same(const std::vector<match::Peak>& a, const std::vector<match::Peak>& b) {
    return std::ranges::equal(a, b, [](const match::Peak& one, const match::Peak& other) {
        return one.score == other.score && one.corner == other.corner &&
               one.centre == other.centre && one.pose == other.pose;
    });
}

/// Keeps the peaks of each scene.
class Scenes : public job::JobSink {
  public:
    void sceneFinished(const job::SceneTurn&, const job::JobResult& result) override {
        m_peaks.push_back(result.peaks);
    }
    [[nodiscard]] const std::vector<std::vector<match::Peak>>& peaks() const { return m_peaks; }

  private:
    std::vector<std::vector<match::Peak>> m_peaks;
};

} // namespace

class PrunedTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// The boxes of two of four objects have a fifth of their voxels in common.
    static void aPeakThatOverlapsABetterOneIsLeftOutToo() {
        std::vector<test::Placed> four = placed(20);
        four.push_back({.centre = {52, 30, 0}, .turn = test::onScreen(75)});
        const job::JobImages images =
            test::imagesOf(shapes(four), test::drawn({27, 27, 1}, {{.centre = {13, 13, 0}}}));
        for (const auto& [overlap, count] : {std::pair{0.05, 3}, {0.3, 4}}) {
            const auto peaksOf = [&images, most = overlap](job::Search search) {
                Job job = searching(search);
                job.poses.refine = false; // which looks at overlaps once more
                job.maxOverlap = most;
                return job::runJob(job, images).peaks;
            };
            const std::vector<match::Peak> want = peaksOf(job::Search::Exhaustive);
            const std::vector<match::Peak> got = peaksOf(job::Search::Pruned);
            QCOMPARE(std::ssize(want), std::ptrdiff_t{count});
            QVERIFY(same(got, want));
            QCOMPARE(std::ranges::count_if(
                         got, [](const match::Peak& peak) { return peak.overlap.has_value(); }),
                     std::ptrdiff_t{count - 3});
            for (std::size_t i = 0; i < got.size(); ++i) {
                const auto& one = want[i].overlap;
                const auto& other = got[i].overlap;
                QVERIFY(one.has_value() == other.has_value());
                QVERIFY(!one || (one->share == other->share && one->corner == other->corner));
            }
        }
    }

    static void aJobHasThePeaksOfTheExhaustiveSearch() {
        const auto exhaustive = job::runJob(searching(job::Search::Exhaustive), images(20));
        const auto pruned = job::runJob(searching(job::Search::Pruned), images(20));
        QVERIFY(exhaustive.peaks.size() >= 3);
        QVERIFY(same(pruned.peaks, exhaustive.peaks));
        QVERIFY(pruned.report.poses->pruned && !pruned.map);
        QVERIFY(pruned.report.peaksIncomplete.empty());
        const auto heuristic = job::runJob(searching(job::Search::Heuristic), images(20));
        QVERIFY(heuristic.report.poses->pruned && !heuristic.report.peaksIncomplete.empty());
    }

    /// A plan names the ways to search that were compared, and what each of them takes.
    static void theFasterSearchIsChosen() {
        const auto rowsOf = [](const Job& job, const job::JobImages& images) {
            std::string rows;
            const job::JobReport report = job::planJob(job, images);
            for (const job::SearchRow& row : report.poses->searches) {
                rows += row.search + " " + std::string(plan::name(row.verdict)) +
                        (row.predictedMs ? " " : "? ");
            }
            return rows;
        };
        using job::Search;
        QCOMPARE(rowsOf(searching(Search::Exhaustive), images(20)), "exhaustive chosen ");
        QCOMPARE(rowsOf(searching(Search::Heuristic), images(20)),
                 "heuristic chosen exhaustive slower ");
        Job job = searching(Search::Auto);
        job.map = "map.mrc"; // needs all scores
        QCOMPARE(rowsOf(job, images(20)), "exhaustive chosen pruned refused? ");
        job.map.clear();
        base::Image<float> gap = shapes(placed(20));
        gap.data()[7] = NAN; // which limits do not bear
        const auto holed =
            test::imagesOf(std::move(gap), test::drawn({27, 27, 1}, {{.centre = {13, 13, 0}}}));
        QCOMPARE(rowsOf(job, holed), "exhaustive chosen pruned refused? ");
        const job::JobReport report = job::planJob(job, images(20));
        const auto& rows = report.poses->searches;
        QCOMPARE(std::ssize(rows), 2);
        QVERIFY(*rows[0].predictedMs <= *rows[1].predictedMs);
        // A large template that stands out, and no reason for all scores.
        job.poses.rotations = "5";
        job.minScore = 0.9;
        const auto large =
            test::imagesOf(waves({700, 600, 1}, 0, 0), waves({160, 140, 1}, 200, 150));
        QCOMPARE(rowsOf(job, large), "pruned chosen exhaustive slower ");
        const auto all = job::runJob(searchingAs(job, Search::Exhaustive), large);
        const auto pruned = job::runJob(job, large);
        QVERIFY(pruned.report.poses->pruned && same(pruned.peaks, all.peaks));
        QVERIFY(pruned.report.poses->searches[0].measuredMs > 0);
    }

    /// It runs on the processor, so that no GPU is asked, and none is named in its plan.
    static void itsPlanConsidersTheProcessorAlone() {
        for (const job::JobReport& report :
             {job::planJob(searching(job::Search::Pruned), images(20)),
              job::runJob(searching(job::Search::Pruned), images(20)).report}) {
            QVERIFY(!report.plan.candidates.empty());
            for (const plan::CandidateReport& row : report.plan.candidates) {
                QVERIFY2(row.candidate.onProcessor(), row.candidate.device.c_str());
            }
        }
    }

    static void whereLimitsLeaveLittleOutAllScoresAreComputed() {
        const job::JobImages noise =
            test::imagesOf(test::noise(base::PixelType::Float32, {300, 280, 1}, 1),
                           test::noise(base::PixelType::Float32, {15, 15, 1}, 2));
        Job job = searching(job::Search::Exhaustive);
        job.minScore = 0.25;
        const auto exhaustive = job::runJob(job, noise);
        job.poses.search = job::Search::Pruned;
        const auto pruned = job::runJob(job, noise);
        const auto& rows = pruned.report.poses->searches;
        QVERIFY(!pruned.report.poses->pruned && rows[0].search == "exhaustive");
        QVERIFY(rows[1].search == "pruned" && rows[1].predictedMs > rows[0].predictedMs);
        QVERIFY(!exhaustive.peaks.empty() && same(pruned.peaks, exhaustive.peaks));
        QVERIFY(job::toText(pruned.report).find("; pruned over ") != std::string::npos);
        // A further scene is not tried.
        Job both = job;
        both.furtherScenes = {"second"};
        job::JobImages all = noise;
        all.furtherScenes = {noise.scene};
        Scenes scenes;
        (void)job::runJob(both, all, {}, &scenes);
        QCOMPARE(std::ssize(scenes.peaks()), 2);
        QVERIFY(same(scenes.peaks()[0], exhaustive.peaks));
        QVERIFY(same(scenes.peaks()[1], exhaustive.peaks));
    }

    /// Stripes of one direction, which none of the poses of the rehearsal has.
    static void aSearchThatLooksAtFarMoreThanExpectedIsReplaced() {
        const auto stripes = [](const base::Extents& n) {
            base::Image<float> image(n);
            for (std::int64_t i = 0; i < image.count(); ++i) {
                const auto x = static_cast<double>(i % n.x);
                const auto y = static_cast<double>(i / n.x);
                image.data()[i] =
                    static_cast<float>(std::sin(x / 3.7) + 0.1 * std::sin(x * y / 37));
            }
            return image;
        };
        const job::JobImages images = test::imagesOf(stripes({320, 240, 1}), stripes({24, 24, 1}));
        Job job = searching(job::Search::Pruned);
        job.minScore = 0.8;
        job.maxPeaks = 2000;
        job.minDistance = 1;
        job.poses.refine = false;
        const job::JobResult pruned = job::runJob(job, images);
        const auto& rows = pruned.report.poses->searches;
        QCOMPARE(rows[0].search, "exhaustive");
        QCOMPARE(rows[1].verdict, plan::CandidateVerdict::Failed);
        QVERIFY(rows[0].measuredMs > 0 && !pruned.report.poses->pruned);
        job.poses.search = job::Search::Exhaustive;
        QVERIFY(same(pruned.peaks, job::runJob(job, images).peaks));
    }

    /// Templates that the first scene prepared serve the next one only if they are the same.
    static void scenesHaveThePeaksThatTheyHaveAlone_data() {
        QTest::addColumn<bool>("whiten");
        QTest::newRow("as they are") << false;
        QTest::newRow("whitened by each scene") << true;
    }

    static void scenesHaveThePeaksThatTheyHaveAlone() {
        QFETCH(bool, whiten);
        Job job = searching(job::Search::Pruned);
        job.minScore = whiten ? 0.2 : 0.6;
        job.preparation.whiten = whiten;
        Job both = job;
        both.furtherScenes = {"second"};
        job::JobImages all = images(20);
        all.furtherScenes = {images(75).scene};
        Scenes scenes;
        (void)job::runJob(both, all, {}, &scenes);
        QCOMPARE(std::ssize(scenes.peaks()), 2);
        QVERIFY(same(scenes.peaks()[0], job::runJob(job, images(20)).peaks));
        QVERIFY(same(scenes.peaks()[1], job::runJob(job, images(75)).peaks));
        QVERIFY(!scenes.peaks()[1].empty());
    }

    static void whatItDoesNotDoIsRefused() {
        const std::vector<std::pair<std::function<void(Job&)>, base::ErrorCode>> cases{
            {[](Job& job) { job.minScore.reset(); }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.minScore = 0; }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.poses.rotations.clear(); }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.handedness = true; }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.searchStatistics = true; }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.method = "direct"; }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.audit = job::Audit::On; }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.resume = "folder"; }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.extent = method::Extent::Same; }, base::ErrorCode::CommandLine},
            {[](Job& job) { job.preparation.polarity = job::Polarity::Both; },
             base::ErrorCode::CommandLine},
            {[](Job& job) { job.map = "map.mha"; }, base::ErrorCode::Problem}};
        for (const auto& [change, code] : cases) {
            Job job = searching(job::Search::Pruned);
            change(job);
            const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job, images(20)); });
            QCOMPARE(thrown.code, code);
            QVERIFY(!thrown.sentence.empty());
        }
        const Job job = searching(job::Search::Pruned);
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    }
};

const flcc::test::TestClass<PrunedTest> kPrunedTest;
#include "pruned_test.moc"
