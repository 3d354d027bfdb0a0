#define FLCC_LINE_BYTES 32
#include "engine/features/simd/line_kernels_set.h"
#include "engine/features/simd/line_kernels_sets.h"

namespace flcc::features::detail {

LineKernels avx2Kernels() { return kernelsNamed("avx2"); }

} // namespace flcc::features::detail
