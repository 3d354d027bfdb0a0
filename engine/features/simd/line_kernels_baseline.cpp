#define FLCC_LINE_BYTES 16
#include "engine/features/simd/line_kernels_set.h"
#include "engine/features/simd/line_kernels_sets.h"

namespace flcc::features::detail {

LineKernels baselineKernels() { return kernelsNamed("baseline"); }

} // namespace flcc::features::detail
