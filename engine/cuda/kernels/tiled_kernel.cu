#include "engine/cuda/kernels/tiled_kernel.h"

#include "engine/cuda/kernels/tile_kernels.h"
#include "engine/cuda/kernels/tiled_steps.h"

namespace flcc::cuda {

cudaError_t startTiled(TiledStep step, const TiledLaunch& launch, cudaStream_t stream) {
    return startParts(launch, stream,
                      [&](auto&& blocks, auto&& items) { runStep(step, launch, blocks, items); });
}

} // namespace flcc::cuda
