#pragma once

#include "engine/base/host_device.h"

namespace flcc::method {

/// The unit in which scores are summed. Rounding to it is far below the rounding of a float, and
/// sums of 8192 scores in it are exact in double, so they do not depend on the order (NUMERICS.md,
/// section 9).
inline constexpr double kScoreUnit = 0x1p-40;

/// `value` in kScoreUnit, rounded to a whole number. |value| must be at most 2^11.
[[nodiscard]] FLCC_HOST_DEVICE inline double inScoreUnits(double value) {
    constexpr double kWhole = 0x1.8p52; // doubles of this size are whole numbers
    return (value * 0x1p40 + kWhole) - kWhole;
}

} // namespace flcc::method
