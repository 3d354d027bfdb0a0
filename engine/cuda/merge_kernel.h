#pragma once

#include <cuda_runtime_api.h>

#include "engine/cuda/merge_launch.h"

namespace flcc::cuda {

/// Starts taking scores into the best ones on the current device.
[[nodiscard]] cudaError_t startMerge(const MergeLaunch& launch, cudaStream_t stream);

} // namespace flcc::cuda
