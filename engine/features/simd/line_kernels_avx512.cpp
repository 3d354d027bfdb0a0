#include "engine/features/simd/line_kernels_set.h"
#include "engine/features/simd/line_kernels_sets.h"

namespace flcc::features::detail {

namespace {

using Doubles [[gnu::vector_size(64)]] = double;
using Unsigned16 [[gnu::vector_size(16)]] = std::uint16_t;
using Integers16 [[gnu::vector_size(16)]] = std::int16_t;
using Integers32 [[gnu::vector_size(32)]] = std::int32_t;

} // namespace

LineKernels avx512Kernels() {
    return LineSet<LineVectors<Doubles, Unsigned16, Integers16, Integers32>>::named("avx512");
}

} // namespace flcc::features::detail
