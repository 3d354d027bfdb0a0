#pragma once

#include <bit>
#include <cstdint>

namespace flcc::io::detail {

/// The value of a 16-bit floating-point number (IEEE 754 binary16), exact in float.
[[nodiscard]] inline float floatOfHalf(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16U;
    const std::uint32_t exponent = (half >> 10U) & 0x1fU;
    const std::uint32_t fraction = half & 0x3ffU;
    if (exponent == 0) { // zero or subnormal: a multiple of 2^-24
        const float value = static_cast<float>(fraction) * 0x1p-24F;
        return sign != 0 ? -value : value;
    }
    const std::uint32_t wide = exponent == 0x1fU ? 0xffU : exponent + (127 - 15);
    return std::bit_cast<float>(sign | (wide << 23U) | (fraction << 13U));
}

} // namespace flcc::io::detail
