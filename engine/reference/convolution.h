#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/pixels.h"
#include "engine/reference/panel.h"

namespace flcc::reference {

/// One result of a convolution by its definition.
struct ConvolvedVoxel {
    double value = 0;       ///< sum over k of x(u - k) h(k), in double
    double magnitudes = 0;  ///< the same sum of magnitudes
    Int128 exact = 0;       ///< the sum for integer scenes and integer weights
    bool nonFinite = false; ///< a voxel under the kernel is NaN or Inf; `value` leaves it out
};

/// The index of the voxel that stands for index `i` of a line of `n` voxels; -1 for a zero.
using Continuation = std::function<std::int64_t(std::int64_t i, std::int64_t n)>;

/// The convolution FLCC (1) of `scene`, continued beyond its borders, at `at`: the voxel of the
/// result that the first voxel of the kernel multiplies with scene voxel `at`. One thread, no
/// transform, x first. **Cost**: one read of every voxel under the kernel.
[[nodiscard]] ConvolvedVoxel convolvedAt(const base::AnyView& scene,
                                         const base::View<const double>& kernel,
                                         const Continuation& continuation, const base::Index& at);

} // namespace flcc::reference
