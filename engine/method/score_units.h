#pragma once

#include "engine/base/host_device.h"

namespace flcc::method {

/// Scores are added up in units so small that the rounding to them is far below that of a float,
/// and so large that sums of 8192 are exact in double: whatever the order, the sum is the same.
inline constexpr double kScoreUnit = 0x1p-40;

/// The multiple of kScoreUnit next to `value`, as a whole number. |value| up to 2^11.
[[nodiscard]] FLCC_HOST_DEVICE inline double inScoreUnits(double value) {
    constexpr double kWhole = 0x1.8p52; // above it doubles are whole numbers
    return (value * 0x1p40 + kWhole) - kWhole;
}

} // namespace flcc::method
