#pragma once

#include <cuda_runtime_api.h>

#include "engine/cuda/kernels/limits_launch.h"

namespace flcc::cuda {

/// Starts the kernel of `step` in `stream` on the current device.
[[nodiscard]] cudaError_t startLimit(LimitStep step, const LimitLaunch& launch,
                                     cudaStream_t stream);

} // namespace flcc::cuda
