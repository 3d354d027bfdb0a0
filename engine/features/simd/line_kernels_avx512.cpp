#define FLCC_LINE_BYTES 64
#include "engine/features/simd/line_kernels_set.h"
#include "engine/features/simd/line_kernels_sets.h"

namespace flcc::features::detail {

LineKernels avx512Kernels() { return kernelsNamed("avx512"); }

} // namespace flcc::features::detail
