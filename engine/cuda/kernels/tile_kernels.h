#pragma once

#include <cuda_runtime_api.h>

#include <climits>
#include <cstdint>

#include "engine/cuda/kernels/tiled_block.h"

/// The kernels that run the parts of a step. Only nvcc compiles this header.
namespace flcc::cuda {

/// The `each` of runStep() on a device: every thread runs the phase, then waits for the other
/// threads of its block.
struct SideBySide {
    template <class Phase> FLCC_HOST_DEVICE void operator()(Phase&& phase) const {
#ifdef __CUDA_ARCH__
        phase(static_cast<int>(threadIdx.x));
        __syncthreads();
#else
        (void)phase;
#endif
    }
};

template <class Part, class Launch>
__global__ void __launch_bounds__(shared::kBlockThreads) blockKernel(Launch launch) {
    using Shared = typename SharedOf<Part>::Type;
    static_assert(sizeof(Shared) <= 48 * 1024, "a block has no more without asking for it");
    __shared__ alignas(16) unsigned char memory[sizeof(Shared)];
    Part::run(launch, blockIdx.x, *reinterpret_cast<Shared*>(memory), SideBySide{});
}

inline constexpr int kItemThreads = 256;

template <class Part, class Launch>
__global__ void __launch_bounds__(kItemThreads) itemKernel(Launch launch, std::int64_t count) {
    const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kItemThreads + threadIdx.x;
    if (item < count) {
        Part::run(launch, item);
    }
}

/// Calls `run(blocks, items)`, where both start a part of a step as a kernel in `stream`, as in
/// runStep(). After a launch fails, no further kernel is started. Returns the first error.
template <class Launch, class Run>
cudaError_t startParts(const Launch& launch, cudaStream_t stream, Run&& run) {
    cudaError_t error = cudaSuccess;
    const auto start = [&](std::int64_t blocks, auto&& launched) {
        if (error == cudaSuccess && blocks > INT_MAX) {
            error = cudaErrorInvalidConfiguration;
        } else if (error == cudaSuccess && blocks > 0) {
            launched(static_cast<unsigned>(blocks));
            error = cudaGetLastError();
        }
    };
    run(
        [&]<class Part>(std::int64_t count, Part) {
            start(count, [&](unsigned blocks) {
                blockKernel<Part><<<blocks, shared::kBlockThreads, 0, stream>>>(launch);
            });
        },
        [&]<class Part>(std::int64_t count, Part) {
            start(shared::ceilDivide(count, kItemThreads), [&](unsigned blocks) {
                itemKernel<Part><<<blocks, kItemThreads, 0, stream>>>(launch, count);
            });
        });
    return error;
}

} // namespace flcc::cuda
