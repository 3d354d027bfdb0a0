#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/job/match/pose_run.h"
#include "engine/method/cost_model.h"

namespace flcc::job::detail {

/// What a search over poses takes, in milliseconds: onceMs + (members / batch) * batchMs.
struct PoseTimes {
    double onceMs = 0;  ///< what a first batch takes more: new memory, cold caches
    double batchMs = 0; ///< of the largest batch: made, prepared, matched and merged
    double turnMs = 0;  ///< making one member alone, a part of batchMs
};

/// With what a search is rehearsed.
struct Rehearsal {
    const method::Limits& limits;
    const method::CostModel& model;
    const std::vector<base::Index>& lowest; ///< method::SceneStatistics::lowest
    std::int64_t members;                   ///< that will be searched
    base::TilePool& pool;
    const std::stop_token& stop;
};

/// Times members of a search on a part of the scene: they are made, prepared, matched and merged as
/// in the run, spread over all poses. The planner's samples do not tell this: they match one
/// template, neither made nor merged. What a member takes whatever the scene is measured as it is;
/// what grows with the scene is scaled by predictions. Empty if cancelled, and where the candidate
/// is not predicted on a part. **Errors**: as runPoses(). **Cost**: a twentieth of the search, at
/// least 50 ms and at most 2 s, or the least that can be timed: a few members on a tile a thread.
[[nodiscard]] std::optional<PoseTimes> rehearse(const PoseRun& run, const Rehearsal& with);

} // namespace flcc::job::detail
