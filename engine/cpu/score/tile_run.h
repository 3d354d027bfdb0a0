#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/score/tile_scorer.h"
#include "engine/method/method.h"

namespace flcc::cpu {

/// The stages of a run. In a Fourier method the numerator is what the transforms take.
enum Stage : std::size_t { kLoad, kNumerator, kDenominator, kRecomputation };

/// What a worker counts, beside its method's buffers.
struct WorkerTally {
    FactsCollector facts; ///< of all templates
    StageClock clock;
    /// Of a bank: the status counts of its map, and sums over all scores.
    std::optional<method::MapFacts> best;
};

/// A tile of the map of a bank or of one template.
struct BestPart {
    method::BankView view; ///< has no index if there is one template
    bool plain = true;     ///< all voxels are OK for all templates so far
};

/// Where the scores of a tile go. A run of one template writes them into its map. In a bank the
/// first template writes into the map of the best scores; the others write into a buffer, from
/// which take() merges them. One for each worker.
class BestTile {
  public:
    BestTile(const method::Problem& problem, const base::Extents& tile)
        : m_problem(problem), m_tile(tile) {}
    /// Bytes of the buffer of a bank; 0 for one template.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const base::Extents& tile);

    /// Where template `templ` writes the scores of the tile `part`.
    [[nodiscard]] method::MapView of(std::int32_t templ, const BestPart& part);
    /// Merges the final scores of template `templ` into the best ones. `plain`: all voxels are
    /// known to be OK.
    void take(std::int32_t templ, BestPart& part, bool plain, WorkerTally& tally);

    /// Where the scores of a template that is not the first are merged row by row, without of() and
    /// take(); takeMerged() follows. Empty if they cannot be.
    [[nodiscard]] std::optional<simd::MergeArguments> mergeOf(std::int32_t templ,
                                                              const BestPart& part) const;
    void takeMerged(std::int32_t templ, const BestPart& part, const simd::BestSums& sums,
                    WorkerTally& tally);

  private:
    /// Merges the scores of `templ`, of which those in `box` count, and returns sums over them.
    method::ScoreSums merge(std::int32_t templ, const BestPart& part, const base::Box& box,
                            bool plain);
    /// Where scores of `box` that are all OK are merged.
    [[nodiscard]] simd::BestRows rowsOf(std::int32_t templ, const BestPart& part,
                                        const base::Box& box) const;
    void addUp(std::int32_t templ, const BestPart& part, const method::ScoreSums& sums,
               WorkerTally& tally);

    method::Problem m_problem;
    base::Extents m_tile;
    std::optional<method::MatchMap> m_scores;
};

/// The buffers of all threads of a run. A thread's buffers are made when it first asks for them.
template <class Buffers> class ThreadBuffers final : public method::Workspace {
  public:
    template <class... Arguments>
    explicit ThreadBuffers(int threads, const Arguments&... arguments)
        : m_make([=] { return std::make_unique<Buffers>(arguments...); }),
          m_buffers(static_cast<std::size_t>(threads)) {}
    [[nodiscard]] Buffers& of(int worker) {
        std::unique_ptr<Buffers>& own = m_buffers[static_cast<std::size_t>(worker)];
        if (!own) {
            own = m_make();
        }
        return *own;
    }

  private:
    std::function<std::unique_ptr<Buffers>()> m_make;
    std::vector<std::unique_ptr<Buffers>> m_buffers;
};

/// The buffers of a run, which holds one precision at a time.
template <template <class> class Buffers> class PrecisionBuffers final : public method::Workspace {
  public:
    /// The buffers of one precision; the first call makes them from `arguments`.
    template <class Real, class... Arguments>
    [[nodiscard]] Buffers<Real>& of(const Arguments&... arguments) {
        auto& buffers = std::get<std::unique_ptr<Buffers<Real>>>(m_buffers);
        if (!buffers) {
            buffers = std::make_unique<Buffers<Real>>(arguments...);
        }
        return *buffers;
    }
    /// Frees the buffers of the other precision.
    template <class Real> void keepOnly() {
        using Other = std::conditional_t<std::is_same_v<Real, float>, double, float>;
        std::get<std::unique_ptr<Buffers<Other>>>(m_buffers).reset();
    }

  private:
    std::tuple<std::unique_ptr<Buffers<float>>, std::unique_ptr<Buffers<double>>> m_buffers;
};

/// Joins what the workers of a run counted. `stages` names the stages of StageClock. `done`: the
/// run was not cancelled.
[[nodiscard]] method::Outcome outcomeOf(const std::vector<WorkerTally>& tallies,
                                        const std::vector<std::string>& stages, bool done);

/// Runs `work(box, worker, tally)` for every tile of `grid`, a TileGrid or MapGrid, reports
/// finished regions, and joins what the workers counted as outcomeOf(). `work` returns false if it
/// was stopped within a tile; it must then have written nothing of the tile to the map.
template <class Grid, class Work>
method::Outcome runTiles(const Grid& grid, const method::Execution& execution,
                         const std::vector<std::string>& stages, Work&& work) {
    std::vector<WorkerTally> tallies(static_cast<std::size_t>(execution.pool.threads()));
    std::mutex regionLock;
    std::atomic<bool> whole = true;
    const bool done = execution.pool.run(
        grid.count(),
        [&](std::int64_t tile, int worker) {
            const base::Box box = grid.box(tile);
            WorkerTally& tally = tallies[static_cast<std::size_t>(worker)];
            tally.clock.start();
            if (!work(box, worker, tally)) {
                whole = false;
            } else if (execution.regionFinished) {
                const std::lock_guard lock(regionLock);
                execution.regionFinished(box);
            }
        },
        execution.stop);
    return outcomeOf(tallies, stages, done && whole);
}

/// Bytes that a bank takes beyond a run of one template if its templates are done one after the
/// other: a second map, and what is prepared of the other templates (`preparedBytes` each).
[[nodiscard]] std::int64_t oneByOneBytes(const method::Problem& problem,
                                         std::int64_t preparedBytes);

/// Turns the predicted time of one template into that of such a bank.
void timeOneByOne(const method::Problem& problem, method::Prediction& prediction);

/// Adds the candidate of `method` with this tile, unless the list has it already.
void addCandidate(const method::Method& method, const base::Extents& tile,
                  const method::Limits& limits, std::vector<method::Candidate>& to,
                  method::Transforms transforms = method::Transforms::Auto);

/// Bytes that a run takes beside its buffers: code that runs for the first time, stacks, lists, and
/// small buffers that the C library keeps. Measured.
[[nodiscard]] std::int64_t littleBytes(const method::Problem& problem, int threads);

/// The reason to refuse a candidate that needs more memory than the limit; empty if it fits.
[[nodiscard]] std::string memoryRefusal(std::int64_t bytes, const method::Limits& limits);

/// Why no method on the processor has this problem's operation with its other settings; empty if
/// one may.
[[nodiscard]] std::string operationRefusal(const method::Problem& problem);

/// As operationRefusal(), and the reason to refuse `--statistics box` where the support is not a
/// box; empty if there is none.
[[nodiscard]] std::string statisticsRefusal(const method::Problem& problem);

/// Predicted nanoseconds of one thread for the denominators of `placements` in tiles of `tile`
/// placements.
[[nodiscard]] double denominatorNs(double placements, const method::Problem& problem,
                                   const base::Extents& tile, const method::CostModel& model);

/// Time of the transforms and the product of a tile for each further template of a bank, divided by
/// the time for the first one. Further templates share the forward transform.
inline constexpr double kAgainTransform = 0.65;

/// Time of window sums, division and statuses in a bank whose templates share the sums, divided by
/// the time for one template.
[[nodiscard]] inline double sharedScores(const method::Problem& problem) {
    constexpr double kFirst = 1.4; // the first template also fills the buffers of the bank
    constexpr double kAgain = 0.35;
    return problem.templates > 1 ? kFirst + kAgain * (problem.templates - 1) : 1;
}

} // namespace flcc::cpu
