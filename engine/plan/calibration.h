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

/// Measures the constants of the cost model on this machine and makes FFTW_PATIENT plans of the
/// tile shapes, the most used first, as far as `seconds` go (METHODS 5).
///
/// First every constant and every shape is measured with the plans at hand, then shapes are planned
/// and measured again one by one: from that moment on what there is fits together, so a stop keeps
/// it. Stopped earlier it is empty. `known` is what was learnt before: its wisdom is used and kept,
/// its measurements of problems are dropped, as they are times of other plans.
/// **Threads**: no run may be under way. **Cost**: `seconds`; a stop is answered within two.
[[nodiscard]] std::optional<Knowledge> calibrate(const Knowledge& known, double seconds,
                                                 base::TilePool& pool, std::stop_token stop = {},
                                                 const CalibrationProgress& progress = {});

/// Looks for better plans of the shapes that have none yet with FFTW_MEASURE, the most used first,
/// until `seconds` are over or `stop` is requested: for idle time. Returns `known` with what was
/// found, or nothing when all shapes are planned or none could be.
/// **Threads**: any; a run that starts meanwhile waits for one FFTW plan at most, under a second.
[[nodiscard]] std::optional<Knowledge> improvePlans(const Knowledge& known, double seconds,
                                                    std::stop_token stop = {});

} // namespace flcc::plan
