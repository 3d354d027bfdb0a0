#pragma once

#include <cstdint>

#include "engine/cuda/plugin/engine.h"
#include "engine/method/problem.h"

namespace flcc::cuda {

/// The highest rates that a device reached in kernels that do nothing else.
struct DeviceLimits {
    double multiplyAdds = 0; ///< in float, per nanosecond
    double bytes = 0;        ///< of its memory read and written, per nanosecond
};

/// Measures the limits of `device`. **Cost**: some dozen kernels of a few milliseconds each.
/// **Errors**: those of Engine::require().
[[nodiscard]] DeviceLimits measureLimits(Engine& engine, std::int32_t device);

/// Measures the milliseconds that the forward and inverse transforms alone take in a run with tiles
/// of `points`, in the batches of that run. **Errors**: those of Engine::require().
[[nodiscard]] double measureTransforms(Engine& engine, std::int32_t device,
                                       const method::Problem& problem, const base::Extents& points);

} // namespace flcc::cuda
