#pragma once

#include <cstdint>

#include "engine/base/host_device.h"

namespace flcc::method {

/// How the voxels of a panel that lie beyond the scene, or outside its mask, count. **Source**:
/// NUMERICS.md, section 1; the formulas are in shared/panel_score.h.
enum class Outside : std::uint8_t {
    Zero,   ///< as the value 0
    Eibl,   ///< as the panel's mean in the numerator and as 0 in the denominator (Eibl)
    Overlap ///< not at all: only the overlap counts, in the panel and in the template
};

/// True if a placement has a score when `inside` of the `support` voxels of the template's support
/// lie in the scene and its mask; otherwise it is NOT_COMPUTED. `minOverlap` is the smallest share
/// that Outside::Overlap accepts, reduced by 1e-12 of itself, because the product minOverlap *
/// support is rounded: 0.1 of 30 voxels must be 3.
[[nodiscard]] FLCC_HOST_DEVICE inline bool isScored(double inside, double support, Outside outside,
                                                    double minOverlap) {
    constexpr double kHair = 1 - 1e-12;
    return inside > 0 &&
           (outside != Outside::Overlap || (inside >= 2 && inside >= minOverlap * support * kHair));
}

} // namespace flcc::method
