#include <QtTest>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "engine/base/stopwatch.h"
#include "engine/job/input/poses.h"
#include "engine/job/match/pose_timing.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;

namespace {

constexpr double kPrepareMs = 0.5;
constexpr double kPlacementMs = 5e-5; // of one member
constexpr int kThreads = 2;

void work(double ms) {
    for (const base::Stopwatch watch; watch.ms() < ms;) {
    }
}

/// A method that takes a known time for a template and for a placement, and predicts half of it.
class KnownMethod final : public method::Method {
  public:
    mutable std::atomic<int> runs = 0;
    bool predicts = true;

    [[nodiscard]] std::string_view name() const override { return "known"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Known", .makes = {.scores = true}};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }
    [[nodiscard]] std::vector<method::Candidate>
    candidates(const method::Problem&, const method::Limits&, const Extents& tile) const override {
        return {{.method = "known", .tile = tile, .threads = kThreads}};
    }
    [[nodiscard]] method::Verdict predict(const method::Problem& problem, const method::Candidate&,
                                          const method::Limits&, const method::CostModel&,
                                          const method::SceneStatistics*) const override {
        if (!predicts) {
            return method::Refusal{"not known"};
        }
        method::Prediction prediction;
        prediction.ms = matchMs(problem) / 2;
        return prediction;
    }
    void warmUp(const method::Problem&, const method::Candidate&) const override {}
    [[nodiscard]] std::shared_ptr<const method::Prepared> prepare(const method::Problem&,
                                                                  const method::Candidate&,
                                                                  const method::MaskedView&,
                                                                  base::TilePool&) const override {
        work(kPrepareMs);
        return std::make_shared<const method::Prepared>();
    }
    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const method::Problem&, const method::Candidate&) const override {
        return std::make_unique<method::Workspace>();
    }
    method::Outcome execute(const method::Problem& problem, const method::Candidate&,
                            const method::Prepared&, const method::MaskedView&, method::Workspace&,
                            const method::Execution&, const method::MapView&) const override {
        return run(problem);
    }
    method::Outcome executeBank(const method::Problem& problem, const method::Candidate&,
                                const method::PreparedTemplates& prepared,
                                const method::MaskedView&, method::Workspace&,
                                const method::Execution&, const method::BankView&) const override {
        method::requireTemplates(problem, prepared.size());
        return run(problem);
    }
    [[nodiscard]] static double matchMs(const method::Problem& problem) {
        return kPlacementMs * problem.templates *
               static_cast<double>(base::voxelCount(method::mapExtents(problem)));
    }

  private:
    method::Outcome run(const method::Problem& problem) const {
        ++runs;
        const base::Stopwatch watch;
        work(matchMs(problem));
        method::Outcome outcome;
        outcome.stagesMs = {{"work", kThreads * watch.ms()}};
        return outcome;
    }
};

/// A bank of a square template in the plane that counts the members it makes.
class Bank {
  public:
    Bank(const std::string& rotations, const base::AnyImage& templ)
        : m_bank(turners(templ), rotation::flatCover(rotation::parseRotations(rotations), {})) {
        m_bank.prepareBy([this](rotation::TurnedTemplate&) { ++made; });
    }
    std::atomic<int> made = 0;
    [[nodiscard]] const rotation::PoseBank& poses() const { return m_bank; }

  private:
    static std::vector<rotation::Turner> turners(const base::AnyImage& templ) {
        std::vector<rotation::Turner> turners;
        turners.emplace_back(base::viewOf(templ), base::View<const std::uint8_t>(), true, false);
        return turners;
    }
    rotation::PoseBank m_bank;
};

struct Case {
    base::AnyImage scene = test::noise(base::PixelType::Float32, {300, 200, 1}, 1);
    base::AnyImage templ = test::noise(base::PixelType::Float32, {9, 9, 1}, 2);
    KnownMethod method;
    method::Candidate candidate{.method = "known", .tile = {64, 64, 1}, .threads = kThreads};

    [[nodiscard]] method::Problem problemOf(const rotation::PoseBank& bank) const {
        method::Problem problem;
        problem.scene = {300, 200, 1};
        problem.templ = bank.box();
        problem.mask = problem.ownMasks = true;
        problem.templates = static_cast<int>(job::detail::batchesOf(bank.count()).largest());
        return problem;
    }
    [[nodiscard]] std::optional<job::detail::PoseTimes>
    times(const rotation::PoseBank& bank, const method::Problem& problem,
          const std::stop_token& stop = {}) const {
        base::TilePool pool(kThreads);
        const method::MaskedView view(base::viewOf(scene));
        return job::detail::rehearse({.method = method,
                                      .problem = problem,
                                      .candidate = candidate,
                                      .bank = bank,
                                      .scene = view},
                                     {.limits = {.threads = kThreads},
                                      .model = {},
                                      .lowest = {},
                                      .members = bank.count(),
                                      .pool = pool,
                                      .stop = stop});
    }
};

} // namespace

class PoseTimingTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void batchesHoldAllMembersAndNoneIsAlone() {
        for (std::int64_t most = job::detail::kLeastBatch; most <= 40; ++most) {
            for (std::int64_t members = 1; members <= 200; ++members) {
                const std::int64_t largest = job::detail::Batches(members, most).largest();
                // What is left of a search that was stopped is divided by the largest batch.
                for (const std::int64_t left : {members, members - largest}) {
                    const job::detail::Batches batches(left, largest);
                    std::int64_t sum = 0;
                    for (std::int64_t i = 0; i < batches.count; ++i) {
                        QCOMPARE(batches.first(i), sum);
                        QVERIFY(batches.size(i) <= largest && largest <= most);
                        QVERIFY(batches.size(i) > 1 || members == 1);
                        sum += batches.size(i);
                    }
                    QCOMPARE(sum, left);
                }
            }
        }
    }

    static void theBatchesOfABankAreThoseThatWereMeasured() {
        QCOMPARE(job::detail::batchesOf(36).largest(), 18);
        QCOMPARE(job::detail::batchesOf(7112).largest(), 32);
    }

    // The fake method works for at least as long as it says, so that this holds on any machine.
    static void whatMembersAndTheSceneTakeIsCounted_data() {
        QTest::addColumn<std::string>("rotations");
        QTest::newRow("one batch of 8") << std::string("45");
        QTest::newRow("two batches") << std::string("10");
        QTest::newRow("many") << std::string("1");
    }

    static void whatMembersAndTheSceneTakeIsCounted() {
        QFETCH(std::string, rotations);
        const Case of;
        Bank bank(rotations, of.templ);
        const method::Problem problem = of.problemOf(bank.poses());
        const auto times = of.times(bank.poses(), problem);
        QVERIFY(times && times->turnMs > 0 && times->onceMs >= 0);
        QVERIFY(times->batchMs >=
                problem.templates * (kPrepareMs + times->turnMs) + KnownMethod::matchMs(problem));
        // Few members cold and warm; a machine under load may leave no time for a whole batch.
        QVERIFY(of.method.runs >= 2);
        QVERIFY(bank.made >= 4);
    }

    static void aPlanThatIsStoppedOrNotPredictedTimesNothing() {
        Case of;
        Bank bank("45", of.templ);
        const method::Problem problem = of.problemOf(bank.poses());
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!of.times(bank.poses(), problem, stop.get_token()));
        of.method.predicts = false;
        QVERIFY(!of.times(bank.poses(), problem));
        QCOMPARE(of.method.runs.load(), 0);
    }
};

const flcc::test::TestClass<PoseTimingTest> kPoseTimingTest;
#include "pose_timing_test.moc"
