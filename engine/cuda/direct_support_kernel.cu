#include "engine/cuda/direct_blocks.h"
#include "engine/cuda/direct_kernel.h"
#include "engine/cuda/direct_support_block.h"

namespace flcc::cuda {

cudaError_t startPartialDirect(const DirectLaunch& launch, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    withDirectSupportBlock(launch,
                           [&]<class Block>(Block) { error = startBlocks<Block>(launch, stream); });
    return error;
}

} // namespace flcc::cuda
