#pragma once

#include <cuda_runtime_api.h>

#include <climits>

#include "engine/cuda/kernels/direct_block.h"

/// The kernel that runs DirectBlock. Only nvcc compiles this header.
namespace flcc::cuda {

/// The `each` of DirectBlock::run() on a device: every thread runs the phase, then waits for the
/// other threads of its block.
template <class Thread> struct OwnSideBySide {
    Thread& own;

    template <class Phase> FLCC_HOST_DEVICE void operator()(Phase&& phase) const {
#ifdef __CUDA_ARCH__
        phase(static_cast<int>(threadIdx.x), own);
        __syncthreads();
#else
        (void)phase;
#endif
    }
};

template <class Block>
__global__ void __launch_bounds__(shared::kBlockThreads) directKernel(DirectLaunch launch) {
    using Shared = typename Block::Shared;
    static_assert(sizeof(Shared) <= 48 * 1024, "a block has no more without asking for it");
    __shared__ alignas(16) unsigned char memory[sizeof(Shared)];
    typename Block::Thread own;
    Block::run(launch, blockIdx.x, *reinterpret_cast<Shared*>(memory),
               OwnSideBySide<typename Block::Thread>{own});
}

/// Starts the kernel with one thread block for each block of the map.
template <class Block>
[[nodiscard]] cudaError_t startBlocks(const DirectLaunch& launch, cudaStream_t stream) {
    const base::Extents grid = shared::blockGrid(launch.map);
    const std::int64_t blocks = grid.x * grid.y * grid.z;
    if (blocks > INT_MAX) {
        return cudaErrorInvalidConfiguration;
    }
    directKernel<Block>
        <<<static_cast<unsigned>(blocks), shared::kBlockThreads, 0, stream>>>(launch);
    return cudaGetLastError();
}

} // namespace flcc::cuda
