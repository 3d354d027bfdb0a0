#include <QtTest>

#include <functional>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/arguments.h"
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
        // On a busy machine it may have given up.
        QVERIFY(pruned.report.poses->pruned);
        QCOMPARE(pruned.report.poses->pruned->gaveUp, pruned.map != nullptr);
        QVERIFY(pruned.report.peaksIncomplete.empty());
        const auto heuristic = job::runJob(searching(job::Search::Heuristic), images(20));
        QCOMPARE(heuristic.report.poses->pruned->gaveUp, // else it says what it is
                 heuristic.report.peaksIncomplete.empty());
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
        QVERIFY(pruned.report.poses->pruned && pruned.report.poses->pruned->gaveUp);
        QVERIFY(!exhaustive.peaks.empty() && same(pruned.peaks, exhaustive.peaks));
        QVERIFY(job::toText(pruned.report).find("gave up") != std::string::npos);
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
