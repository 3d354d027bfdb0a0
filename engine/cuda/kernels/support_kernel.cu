#include "engine/cuda/kernels/support_kernel.h"

#include "engine/cuda/kernels/support_steps.h"
#include "engine/cuda/kernels/tile_kernels.h"

namespace flcc::cuda {

cudaError_t startSupport(SupportStep step, const SupportLaunch& launch, cudaStream_t stream) {
    return startParts(launch, stream, [&](auto&& blocks, auto&& items) {
        runSupportStep(step, launch, blocks, items);
    });
}

} // namespace flcc::cuda
