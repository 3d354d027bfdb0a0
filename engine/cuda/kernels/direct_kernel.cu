#include "engine/cuda/kernels/direct_kernel.h"

#include "engine/cuda/kernels/direct_blocks.h"

namespace flcc::cuda {

cudaError_t startDirect(const DirectLaunch& launch, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    withDirectBlock(launch,
                    [&]<class Block>(Block) { error = startBlocks<Block>(launch, stream); });
    return error;
}

} // namespace flcc::cuda
