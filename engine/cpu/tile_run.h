#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/tile_grid.h"
#include "engine/cpu/tile_scorer.h"
#include "engine/method/method.h"

namespace flcc::cpu {

/// What a worker needs beside its method's buffers.
struct WorkerTally {
    FactsCollector facts;
    StageClock clock;
};

/// The buffers of every thread of a run.
template <class Buffers> class ThreadBuffers final : public method::Workspace {
  public:
    template <class... Arguments>
    explicit ThreadBuffers(int threads, const Arguments&... arguments) {
        for (int i = 0; i < threads; ++i) {
            m_buffers.push_back(std::make_unique<Buffers>(arguments...));
        }
    }
    [[nodiscard]] Buffers& of(int worker) { return *m_buffers[static_cast<std::size_t>(worker)]; }

  private:
    std::vector<std::unique_ptr<Buffers>> m_buffers;
};

/// What the workers of a run counted; `stages` names the stages of StageClock.
[[nodiscard]] method::Outcome outcomeOf(const std::vector<WorkerTally>& tallies,
                                        const std::vector<std::string>& stages, bool done);

/// Runs `work(boxes, worker, tally)` for every `together` tiles of `grid`, a TileGrid or MapGrid,
/// in turn, reports finished regions and collects what the workers counted, as outcomeOf().
template <class Grid, class Work>
method::Outcome runTiles(const Grid& grid, std::int64_t together,
                         const method::Execution& execution, const std::vector<std::string>& stages,
                         Work&& work) {
    std::vector<WorkerTally> tallies(static_cast<std::size_t>(execution.pool.threads()));
    std::mutex regionLock;
    const bool done = execution.pool.run(
        grid.items(together),
        [&](std::int64_t item, int worker) {
            const std::vector<base::Box> boxes = grid.boxes(item, together);
            WorkerTally& tally = tallies[static_cast<std::size_t>(worker)];
            tally.clock.start();
            work(boxes, worker, tally);
            if (execution.regionFinished) {
                const std::lock_guard lock(regionLock);
                std::for_each(boxes.begin(), boxes.end(), execution.regionFinished);
            }
        },
        execution.stop);
    return outcomeOf(tallies, stages, done);
}

/// Bytes of a map and its statuses.
[[nodiscard]] inline std::int64_t mapBytes(const method::Problem& problem) {
    const bool twofold = problem.precision == method::Precision::Double;
    return base::byteCount(method::mapExtents(problem), twofold ? 13 : 5);
}

/// Refuses a candidate that needs more than the limit; empty when it fits.
[[nodiscard]] std::string memoryRefusal(std::int64_t bytes, const method::Limits& limits);

/// Refuses window sums where the support is no box; empty when there is nothing to refuse.
[[nodiscard]] std::string statisticsRefusal(const method::Problem& problem);

/// What one thread takes for the denominators of `placements` in tiles of `tile` placements.
[[nodiscard]] double denominatorNs(double placements, const method::Problem& problem,
                                   const base::Extents& tile, const method::CostModel& model);

/// K of METHODS 2.2 at the 1st-percentile contrast of a scene, for predictions.
[[nodiscard]] double predictedK(const method::SceneStatistics& statistics);

} // namespace flcc::cpu
