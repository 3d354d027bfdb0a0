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

#include "engine/cpu/tile_grid.h"
#include "engine/cpu/tile_scorer.h"
#include "engine/method/method.h"

namespace flcc::cpu {

/// What a worker needs beside its method's buffers.
struct WorkerTally {
    FactsCollector facts; ///< of all templates
    StageClock clock;
    /// Of a bank: statuses of its map, and sums over all scores.
    std::optional<method::MapFacts> best;
};

/// A tile of a map.
struct BestPart {
    method::BankView view; ///< without an index when there is one template
    bool plain = true;     ///< all voxels are OK for all templates so far
};

/// Where the scores of a tile go, one template after the other: those of a run of one template into
/// its map; of a bank, the first one's into the map of the best, the others' into buffers from
/// which they are merged. One for each worker.
class BestTile {
  public:
    BestTile(const method::Problem& problem, const base::Extents& tile)
        : m_problem(problem), m_tile(tile) {}
    /// Bytes of its buffers in a bank.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const base::Extents& tile);

    /// Where template `templ` writes the scores of the tile `part`.
    [[nodiscard]] method::MapView of(std::int32_t templ, const BestPart& part);
    /// Takes them when they are final; `plain`: all voxels are known to be OK.
    void take(std::int32_t templ, BestPart& part, bool plain, WorkerTally& tally);

  private:
    /// Merges them, and returns sums over them.
    method::ScoreSums merge(std::int32_t templ, const BestPart& part);

    method::Problem m_problem;
    base::Extents m_tile;
    std::optional<method::MatchMap> m_scores;
};

/// The buffers of every thread of a run, each made when its thread first asks for it.
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

/// The buffers of a run, of one precision at a time.
template <template <class> class Buffers> class PrecisionBuffers final : public method::Workspace {
  public:
    /// `arguments` make them when they are first asked for.
    template <class Real, class... Arguments>
    [[nodiscard]] Buffers<Real>& of(const Arguments&... arguments) {
        auto& buffers = std::get<std::unique_ptr<Buffers<Real>>>(m_buffers);
        if (!buffers) {
            buffers = std::make_unique<Buffers<Real>>(arguments...);
        }
        return *buffers;
    }
    /// Lets go of those of the other precision.
    template <class Real> void keepOnly() {
        using Other = std::conditional_t<std::is_same_v<Real, float>, double, float>;
        std::get<std::unique_ptr<Buffers<Other>>>(m_buffers).reset();
    }

  private:
    std::tuple<std::unique_ptr<Buffers<float>>, std::unique_ptr<Buffers<double>>> m_buffers;
};

/// What the workers of a run counted; `stages` names the stages of StageClock.
[[nodiscard]] method::Outcome outcomeOf(const std::vector<WorkerTally>& tallies,
                                        const std::vector<std::string>& stages, bool done);

/// Runs `work(box, worker, tally)` for every tile of `grid`, a TileGrid or MapGrid, reports
/// finished regions and collects what the workers counted, as outcomeOf(). Work that is stopped
/// within a tile leaves nothing of it in the map and returns false.
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

/// Bytes that a bank whose templates are done one after the other takes beyond a run of one: the
/// map of that one, and what is prepared of the others.
[[nodiscard]] std::int64_t oneByOneBytes(const method::Problem& problem,
                                         std::int64_t preparedBytes);

/// Makes the time of one template that of such a bank.
void timeOneByOne(const method::Problem& problem, method::Prediction& prediction);

/// Adds the candidate of `method` with this tile, unless it is there.
void addCandidate(const method::Method& method, const base::Extents& tile,
                  const method::Limits& limits, std::vector<method::Candidate>& to);

/// Refuses a candidate that needs more than the limit; empty when it fits.
[[nodiscard]] std::string memoryRefusal(std::int64_t bytes, const method::Limits& limits);

/// Refuses window sums where the support is no box; empty when there is nothing to refuse.
[[nodiscard]] std::string statisticsRefusal(const method::Problem& problem);

/// What one thread takes for the denominators of `placements` in tiles of `tile` placements.
[[nodiscard]] double denominatorNs(double placements, const method::Problem& problem,
                                   const base::Extents& tile, const method::CostModel& model);

/// What the templates of a bank after the first one take of a tile's transforms and product, as
/// they share the forward transform.
inline constexpr double kAgainTransform = 0.65;

/// What window sums, division and statuses take in a bank that shares the sums, against one
/// template.
[[nodiscard]] inline double sharedScores(const method::Problem& problem) {
    constexpr double kFirst = 1.4; // keeps the sums, starts the best map
    constexpr double kAgain = 0.35;
    return problem.templates > 1 ? kFirst + kAgain * (problem.templates - 1) : 1;
}

} // namespace flcc::cpu
