#pragma once

#include "engine/features/detail/line_kernels.h"

namespace flcc::features::detail {

/// The line kernels of each instruction set. Only one that the processor has may be called.
[[nodiscard]] LineKernels baselineKernels();
[[nodiscard]] LineKernels avx2Kernels();
[[nodiscard]] LineKernels avx512Kernels();

} // namespace flcc::features::detail
