#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

#include "engine/base/tile_pool.h"
#include "engine/plan/knowledge.h"

namespace flcc::plan {

/// Called with the current step of a calibration, as a phrase for users, and the share of its time
/// that has passed, 0 to 1.
using CalibrationProgress = std::function<void(std::string_view doing, double share)>;

/// Default duration of a calibration, in seconds.
inline constexpr double kCalibrationSeconds = 110;

/// Measures the constants of the cost model on this machine, then the times of tile shapes, the
/// most used first, until `seconds` have passed. Empty if `stop` was requested before the end.
///
/// `known` is the knowledge from before. Its wisdom is used and kept. Its measured problems are
/// dropped, since their times were extrapolated with the old constants.
/// **Threads**: no run may be under way. **Cost**: `seconds`; returns within a second after `stop`.
[[nodiscard]] std::optional<Knowledge> calibrate(const Knowledge& known, double seconds,
                                                 base::TilePool& pool, std::stop_token stop = {},
                                                 const CalibrationProgress& progress = {});

} // namespace flcc::plan
