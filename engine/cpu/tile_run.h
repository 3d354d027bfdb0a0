#pragma once

#include <cstdint>
#include <memory>
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

/// Runs `work(box, worker, tally)` for every tile of `grid`, reports finished regions and collects
/// what the workers counted. `stages` names the stages of StageClock in order.
template <class Work>
method::Outcome runTiles(const TileGrid& grid, const method::Execution& execution,
                         const std::vector<std::string>& stages, Work&& work) {
    std::vector<WorkerTally> tallies(static_cast<std::size_t>(execution.pool.threads()));
    std::mutex regionLock;
    const bool done = execution.pool.run(
        grid.count(),
        [&](std::int64_t tile, int worker) {
            const base::Box box = grid.box(tile);
            WorkerTally& tally = tallies[static_cast<std::size_t>(worker)];
            tally.clock.start();
            work(box, worker, tally);
            if (execution.regionFinished) {
                const std::lock_guard lock(regionLock);
                execution.regionFinished(box);
            }
        },
        execution.stop);
    method::Outcome outcome;
    outcome.cancelled = !done;
    FactsCollector facts;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        double ms = 0;
        for (const WorkerTally& tally : tallies) {
            ms += tally.clock.ms(stage);
        }
        outcome.stagesMs.emplace_back(stages[stage], ms);
    }
    for (const WorkerTally& tally : tallies) {
        facts.merge(tally.facts);
    }
    outcome.facts = facts.facts();
    return outcome;
}

/// Bytes of a map and its statuses.
[[nodiscard]] inline std::int64_t mapBytes(const method::Problem& problem) {
    return base::byteCount(method::mapExtents(problem), 5);
}

/// Refuses a candidate that needs more than the limit; empty when it fits.
[[nodiscard]] std::string memoryRefusal(std::int64_t bytes, const method::Limits& limits);

/// K of METHODS 2.2 at the 1st-percentile contrast of a scene, for predictions.
[[nodiscard]] double predictedK(const method::SceneStatistics& statistics);

} // namespace flcc::cpu
