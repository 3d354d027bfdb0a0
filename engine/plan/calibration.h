#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "engine/base/tile_pool.h"
#include "engine/method/candidate.h"
#include "engine/method/problem.h"
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

/// Highest rates that a GPU reaches, measured with kernels that do nothing else.
struct DeviceLimits {
    double multiplyAdds = 0; ///< multiply-adds in float per nanosecond
    double bytes = 0;        ///< bytes of device memory read and written per nanosecond
};

/// Measures the limits of one GPU ("cuda:0"). Empty for the processor, for several GPUs together
/// and for a GPU that cannot be used.
/// **Cost**: about a tenth of a second. **Errors**: Device, Memory.
[[nodiscard]] std::optional<DeviceLimits> measureDeviceLimits(std::string_view device);

/// Milliseconds of the Fourier transforms alone that a candidate on one GPU needs for one scene and
/// template. Empty for a candidate without transforms and for the devices for which
/// measureDeviceLimits() is empty. **Errors**: Device, Memory.
[[nodiscard]] std::optional<double> measureTransforms(const method::Problem& problem,
                                                      const method::Candidate& candidate);

} // namespace flcc::plan
