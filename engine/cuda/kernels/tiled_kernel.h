#pragma once

#include <cuda_runtime_api.h>

#include "engine/cuda/kernels/tiled_launch.h"

namespace flcc::cuda {

/// Starts the kernels of `step` in `stream` on the current device.
[[nodiscard]] cudaError_t startTiled(TiledStep step, const TiledLaunch& launch,
                                     cudaStream_t stream);

} // namespace flcc::cuda
