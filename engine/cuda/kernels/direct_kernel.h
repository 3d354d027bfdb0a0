#pragma once

#include <cuda_runtime_api.h>

#include "engine/cuda/kernels/direct_launch.h"

namespace flcc::cuda {

/// Starts the kernel of the direct method in `stream` on the current device.
[[nodiscard]] cudaError_t startDirect(const DirectLaunch& launch, cudaStream_t stream);

} // namespace flcc::cuda
