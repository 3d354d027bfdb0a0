#include "engine/cuda/direct_kernel.h"

#include <climits>

#include "engine/cuda/direct_block.h"

namespace flcc::cuda {

namespace {

/// The threads of a block do a phase side by side, and wait for each other.
struct SideBySide {
    DirectThread& own;

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
    DirectThread own;
    Block::run(launch, blockIdx.x, *reinterpret_cast<Shared*>(memory), SideBySide{own});
}

} // namespace

cudaError_t startDirect(const DirectLaunch& launch, cudaStream_t stream) {
    const base::Extents grid = shared::blockGrid(launch.map);
    const std::int64_t blocks = grid.x * grid.y * grid.z;
    if (blocks > INT_MAX) {
        return cudaErrorInvalidConfiguration;
    }
    withDirectBlock(launch, [&]<class Block>(Block) {
        directKernel<Block>
            <<<static_cast<unsigned>(blocks), shared::kBlockThreads, 0, stream>>>(launch);
    });
    return cudaGetLastError();
}

} // namespace flcc::cuda
