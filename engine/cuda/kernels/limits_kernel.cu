#include "engine/cuda/kernels/limits_kernel.h"

#include <climits>

namespace flcc::cuda {

namespace {

template <LimitStep kStep>
__global__ void __launch_bounds__(kLimitThreads) limitKernel(LimitLaunch launch) {
    LimitThread::run(kStep, launch,
                     static_cast<std::int64_t>(blockIdx.x) * kLimitThreads + threadIdx.x);
}

} // namespace

cudaError_t startLimit(LimitStep step, const LimitLaunch& launch, cudaStream_t stream) {
    if (launch.blocks > INT_MAX) {
        return cudaErrorInvalidConfiguration;
    }
    const auto blocks = static_cast<unsigned>(launch.blocks);
    if (step == LimitStep::Move) {
        limitKernel<LimitStep::Move><<<blocks, kLimitThreads, 0, stream>>>(launch);
    } else {
        limitKernel<LimitStep::MultiplyAdds><<<blocks, kLimitThreads, 0, stream>>>(launch);
    }
    return cudaGetLastError();
}

} // namespace flcc::cuda
