#pragma once

#include <cstdint>

#include "engine/base/host_device.h"

namespace flcc::method {

/// What the part of a panel beyond the scene, or outside the scene's mask, counts for (METHODS
/// 2.0): the value 0; the mean of the panel above the line and 0 below it; nothing at all.
enum class Outside : std::uint8_t { Zero, Eibl, Overlap };

/// Whether a placement with `inside` of the `support` voxels of the template in the scene has a
/// score; without it is NOT_COMPUTED (METHODS 2.0). The hair keeps a share such as 0.1 of 30 at 3.
[[nodiscard]] FLCC_HOST_DEVICE inline bool isScored(double inside, double support, Outside outside,
                                                    double minOverlap) {
    constexpr double kHair = 1 - 1e-12;
    return inside > 0 &&
           (outside != Outside::Overlap || (inside >= 2 && inside >= minOverlap * support * kHair));
}

} // namespace flcc::method
