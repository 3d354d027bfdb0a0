#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "engine/base/tile_pool.h"
#include "engine/job/match/pose_run.h"

namespace flcc::job::detail {

/// Fewer batches are not rehearsed: it would take a good part of the search.
inline constexpr std::int64_t kRehearsedBatches = 40;

/// The time in milliseconds of one batch of a search, measured on some batches of it: members are
/// made, prepared, matched and merged as in the run, on so much of the scene as takes about a
/// second a batch. The planner's samples are too short for this: the first masked bank on new
/// memory takes several times as long as the later ones. Empty if cancelled, and where the
/// candidate cannot search a part of the scene that is small enough. **Cost**: some seconds.
[[nodiscard]] std::optional<double> rehearse(const PoseRun& run, const method::Limits& limits,
                                             double predictedMs, base::TilePool& pool,
                                             const std::stop_token& stop);

} // namespace flcc::job::detail
