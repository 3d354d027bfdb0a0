#pragma once

#include <cstdint>

#include "engine/cuda/engine.h"
#include "engine/method/problem.h"

namespace flcc::cuda {

/// What a device did at most in kernels that do nothing else.
struct DeviceLimits {
    double multiplyAdds = 0; ///< in float a nanosecond
    double bytes = 0;        ///< of its memory a nanosecond, read and written
};

/// Measures them. **Cost**: about a tenth of a second. **Errors**: those of Engine::require.
[[nodiscard]] DeviceLimits measureLimits(Engine& engine, std::int32_t device);

/// Milliseconds of the transforms alone of a run in tiles of `points`: forwards and backwards, in
/// the batches of the run. **Errors**: those of Engine::require.
[[nodiscard]] double measureTransforms(Engine& engine, std::int32_t device,
                                       const method::Problem& problem, const base::Extents& points);

} // namespace flcc::cuda
