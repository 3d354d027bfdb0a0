#include "engine/job/match/pose_timing.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <ranges>
#include <variant>

#include "engine/base/median.h"
#include "engine/base/stopwatch.h"
#include "engine/job/match/pose_batch.h"
#include "engine/plan/sample.h"

namespace flcc::job::detail {

namespace {

constexpr double kLeastMs = 50;
constexpr double kShare = 0.05;
constexpr double kMostMs = 2000;

/// Times of some members on a part of the scene, scaled to the whole scene and the largest batch.
struct Pass {
    double turnMs = 0;   ///< a member
    double memberMs = 0; ///< a member, made and prepared
    double matchMs = 0;  ///< a batch, with merging
    double ms = 0;       ///< of the pass itself

    [[nodiscard]] double batchMs(std::int64_t batch) const {
        return memberMs * static_cast<double>(batch) + matchMs;
    }
};

/// Members that are matched on a part of the scene.
struct Stage {
    plan::Sample sample;
    match::Likeness likeness;
    PoseBatch batch;
    BatchMap scores;
    BatchMap best;
    std::unique_ptr<method::SearchTotals> sums{};

    Stage(const PoseRun& run, plan::Sample of)
        : sample(std::move(of)), likeness(sample.part.templ),
          batch(run.method, sample.candidate, run.bank,
                sample.part.searchSums ? &likeness : nullptr),
          scores(method::mapExtents(sample.part), isExact()),
          best(method::mapExtents(sample.part), isExact()) {
        run.method.warmUp(sample.part, sample.candidate);
        if (sample.part.searchSums) {
            sums = std::make_unique<method::SearchTotals>(method::mapExtents(sample.part));
        }
        method::clearBest(view()); // memory that is there, as in the run
        method::clearBest(best.view());
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    [[nodiscard]] bool isExact() const {
        return sample.part.precision == method::Precision::Double;
    }
    [[nodiscard]] method::BankView view() {
        method::BankView to = scores.view();
        to.sums = sums ? sums->view() : method::SearchSums{};
        return to;
    }
};

class Rehearsing {
  public:
    Rehearsing(const PoseRun& run, const Rehearsal& with)
        : m_run(run), m_with(with), m_batch(run.problem.templates) {}

    std::optional<PoseTimes> times() {
        const std::int64_t few =
            std::min<std::int64_t>(m_batch, std::max(2, m_with.pool.threads()));
        Stage first(m_run, sampleOf(few, 0));
        std::vector<Pass> passes = timed(first, 0);
        if (passes.empty()) {
            return std::nullopt;
        }
        // Few members on few tiles tell what larger passes take.
        const Pass& small = passes.back();
        const double runMs = small.batchMs(m_batch) * static_cast<double>(m_with.members) /
                             static_cast<double>(m_batch);
        const double left =
            std::clamp(kShare * runMs, kLeastMs, kMostMs) - passes.front().ms - small.ms;
        const auto [count, share] = affordable(small, few, left);
        if (count == 0) {
            return timesOf(passes);
        }
        Stage larger(m_run, sampleOf(count, share));
        passes = timed(larger, left);
        return passes.empty() ? std::nullopt : std::optional(timesOf(passes));
    }

  private:
    struct Size {
        std::int64_t count = 0; ///< members
        double share = 0;       ///< of the scene
    };

    /// Growing part of the predicted milliseconds; 0 where there is no prediction.
    [[nodiscard]] double growing(const method::Problem& problem,
                                 const method::Candidate& candidate) const {
        method::Limits all = m_with.limits;
        all.memoryBytes = INT64_MAX;
        const auto verdict = m_run.method.predict(problem, candidate, all, m_with.model, nullptr);
        const auto* const prediction = std::get_if<method::Prediction>(&verdict);
        return prediction != nullptr ? prediction->ms - prediction->setupMs : 0;
    }

    [[nodiscard]] plan::Sample sampleOf(std::int64_t count, double share) const {
        plan::Sample sample = plan::sampleOf(m_run.method, m_run.problem, m_run.candidate, share,
                                             m_with.limits, m_with.model, m_with.lowest);
        sample.part.templates = static_cast<int>(count);
        sample.part.ownMasks = m_run.problem.ownMasks;
        return sample;
    }

    /// What a pass of so many members takes that takes as long as `known` says.
    [[nodiscard]] double costOf(const Pass& known, std::int64_t count, double share) const {
        const plan::Sample sample = sampleOf(count, share);
        const double whole = growing(m_run.problem, m_run.candidate);
        return 2 * (known.memberMs * static_cast<double>(count) +
                    known.matchMs * growing(sample.part, sample.candidate) / std::max(whole, 1e-9));
    }

    /// The largest pass that takes at most so many milliseconds: rather a whole batch than more of
    /// the scene. No members if that would tell little more than the pass before, of `few`.
    [[nodiscard]] Size affordable(const Pass& known, std::int64_t few, double ms) const {
        // A batch of fewer members tells less than its scaling loses.
        constexpr double kWorth = 2;
        if (costOf(known, m_batch, 0) <= kWorth * ms) {
            ms = std::max(ms, costOf(known, m_batch, 0));
        }
        std::int64_t count = m_batch;
        while (count > few && costOf(known, count, 0) > ms) {
            count = std::max(few, count * 3 / 4);
        }
        if (costOf(known, count, 0) > ms) {
            return {};
        }
        double share = 1;
        while (share > 0.01 && (count < m_batch || costOf(known, count, share) > ms)) {
            share *= 0.8;
        }
        return {count, share > 0.01 ? share : 0};
    }

    /// Members that lie evenly in the bank, others in each pass.
    [[nodiscard]] std::vector<std::int64_t> spread(std::int64_t count) {
        constexpr double kGolden = 0.6180339887498949;
        m_offset = std::fmod(m_offset + kGolden, 1);
        const auto all = static_cast<double>(m_run.bank.count());
        std::vector<std::int64_t> numbers;
        for (std::int64_t i = 0; i < count; ++i) {
            const double at =
                all * (static_cast<double>(i) + m_offset) / static_cast<double>(count);
            numbers.push_back(std::min(m_run.bank.count() - 1, static_cast<std::int64_t>(at)));
        }
        return numbers;
    }

    /// A pass on new memory and with cold caches, and later ones, at least one and as many as fit
    /// into so many milliseconds. Empty if cancelled or not predicted.
    std::vector<Pass> timed(Stage& stage, double ms) {
        std::vector<Pass> passes;
        do {
            const std::optional<Pass> pass = passOf(stage);
            if (!pass) {
                return {};
            }
            ms -= pass->ms;
            passes.push_back(*pass);
        } while (passes.size() < 2 || passes.back().ms <= ms);
        return passes;
    }

    std::optional<Pass> passOf(Stage& stage) {
        const method::Problem& part = stage.sample.part;
        const double whole = growing(m_run.problem, m_run.candidate);
        const double some = growing(part, stage.sample.candidate);
        if (whole <= 0 || some <= 0) {
            return std::nullopt;
        }
        const base::Stopwatch all;
        const auto count = static_cast<double>(part.templates);
        Pass pass;
        const base::Stopwatch making;
        if (!stage.batch.make(spread(part.templates), m_with.pool, m_with.stop)) {
            return std::nullopt;
        }
        pass.turnMs = making.ms() / count;
        stage.batch.prepare(part, m_with.pool);
        pass.memberMs = making.ms() / count;
        const method::MaskedView scene = method::partOf(m_run.scene, stage.sample.box);
        const base::Stopwatch matching;
        const method::Outcome outcome = stage.batch.match(
            scene, {.pool = m_with.pool, .stop = m_with.stop, .regionFinished = {}, .onDevice = {}},
            stage.view());
        if (outcome.cancelled || m_with.stop.stop_requested()) {
            return std::nullopt;
        }
        const double matched = matching.ms();
        const base::Stopwatch merging;
        mergeBatch(stage.scores.view(), 0, stage.best.view(), part.operation.traits().best,
                   m_with.pool);
        const double merged = merging.ms();
        const double voxels =
            static_cast<double>(base::voxelCount(method::mapExtents(m_run.problem))) /
            static_cast<double>(base::voxelCount(method::mapExtents(part)));
        pass.matchMs = matched + busy(matched, outcome) * (whole / some - 1) +
                       (m_with.members > m_batch ? merged * voxels : 0);
        pass.ms = all.ms();
        return pass;
    }

    /// Only the time in which threads work grows with the scene; waking them does not.
    [[nodiscard]] double busy(double ms, const method::Outcome& outcome) const {
        if (!m_run.candidate.onProcessor()) {
            return ms;
        }
        double sum = 0;
        for (const auto& [stage, stageMs] : outcome.stagesMs) {
            sum += stageMs;
        }
        return std::min(ms, sum / std::max(1, m_run.candidate.threads));
    }

    /// Medians of all but the first pass: other programs may disturb one.
    [[nodiscard]] PoseTimes timesOf(const std::vector<Pass>& passes) const {
        std::vector<double> batches;
        std::vector<double> turns;
        std::vector<double> own;
        for (const Pass& pass : passes | std::views::drop(1)) {
            batches.push_back(pass.batchMs(m_batch));
            turns.push_back(pass.turnMs);
            own.push_back(pass.ms);
        }
        return {std::max(0.0, passes.front().ms - base::median(own)), base::median(batches),
                base::median(turns)};
    }

    const PoseRun& m_run;
    const Rehearsal& m_with;
    std::int64_t m_batch; ///< members
    double m_offset = 0;
};

} // namespace

std::optional<PoseTimes> rehearse(const PoseRun& run, const Rehearsal& with) {
    return Rehearsing(run, with).times();
}

} // namespace flcc::job::detail
