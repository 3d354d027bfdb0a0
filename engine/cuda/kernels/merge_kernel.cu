#include "engine/cuda/kernels/merge_kernel.h"

#include "engine/cuda/kernels/merge_block.h"
#include "engine/cuda/kernels/tile_kernels.h"

namespace flcc::cuda {

cudaError_t startMerge(const MergeLaunch& launch, cudaStream_t stream) {
    return startParts(launch, stream, [&](auto&& blocks, auto&&) { runMerge(launch, blocks); });
}

} // namespace flcc::cuda
