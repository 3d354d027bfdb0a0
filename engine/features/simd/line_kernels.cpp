#include "engine/features/detail/line_kernels.h"

#include "engine/features/simd/line_kernels_sets.h"

namespace flcc::features::detail {

namespace {

std::vector<LineKernels> runnable() {
    std::vector<LineKernels> kernels;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        kernels.push_back(avx512Kernels());
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        kernels.push_back(avx2Kernels());
    }
#endif
    kernels.push_back(baselineKernels());
    return kernels;
}

} // namespace

const std::vector<LineKernels>& lineKernels() {
    static const std::vector<LineKernels> kernels = runnable();
    return kernels;
}

} // namespace flcc::features::detail
