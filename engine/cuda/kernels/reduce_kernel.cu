#include "engine/cuda/kernels/reduce_kernel.h"

#include "engine/cuda/kernels/reduce_block.h"
#include "engine/cuda/kernels/tile_kernels.h"

namespace flcc::cuda {

cudaError_t startReduce(const ReduceLaunch& launch, cudaStream_t stream) {
    return startParts(launch, stream, [&](auto&& blocks, auto&&) { runReduce(launch, blocks); });
}

} // namespace flcc::cuda
