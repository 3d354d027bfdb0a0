#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

#include "engine/base/tile_pool.h"
#include "engine/plan/knowledge.h"

namespace flcc::plan {

/// Told what a calibration is doing and the share of its time that is spent, 0..1.
using CalibrationProgress = std::function<void(std::string_view doing, double share)>;

/// Longest time a calibration takes, in seconds, unless told otherwise.
inline constexpr double kCalibrationSeconds = 110;

/// Measures the constants of the cost model on this machine, then shapes of tiles, the most used
/// first, as far as `seconds` go. Stopped before it is done it is empty. `known` is what was learnt
/// before: its wisdom is used and kept, its measurements of problems are dropped, as they are times
/// of other constants.
/// **Threads**: no run may be under way. **Cost**: `seconds`; a stop is answered within one.
[[nodiscard]] std::optional<Knowledge> calibrate(const Knowledge& known, double seconds,
                                                 base::TilePool& pool, std::stop_token stop = {},
                                                 const CalibrationProgress& progress = {});

} // namespace flcc::plan
