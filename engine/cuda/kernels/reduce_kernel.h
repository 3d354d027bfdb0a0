#pragma once

#include <cuda_runtime_api.h>

#include "engine/cuda/kernels/reduce_launch.h"

namespace flcc::cuda {

/// Starts the reduction of a part of a map in `stream` on the current device.
[[nodiscard]] cudaError_t startReduce(const ReduceLaunch& launch, cudaStream_t stream);

} // namespace flcc::cuda
