#pragma once

#include <cmath>

#include "engine/base/extents.h"

namespace flcc::cpu {

/// The error of window sums of x or x^2 by additions, relative to the sum of the magnitudes of
/// their terms: the roundings that a term passes through, in double.
/// **Source**: engine/method/NUMERICS.md, section 4.
[[nodiscard]] inline double boxSumsError(const base::Extents& m) {
    return (static_cast<double>(m.y + m.z) +
            2 * std::ceil(std::log2(static_cast<double>(m.x) + 1)) + 1) *
           0x1p-53;
}

} // namespace flcc::cpu
