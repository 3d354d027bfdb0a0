#pragma once

#include <cuda_runtime_api.h>

#include "engine/cuda/kernels/merge_launch.h"

namespace flcc::cuda {

/// Starts the merge of one template's scores in `stream` on the current device.
[[nodiscard]] cudaError_t startMerge(const MergeLaunch& launch, cudaStream_t stream);

} // namespace flcc::cuda
