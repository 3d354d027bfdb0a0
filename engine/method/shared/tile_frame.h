#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/base/finite.h"
#include "engine/base/host_device.h"

/// The frame of a tile: voxels are centred and scaled by a power of two before they are multiplied
/// or transformed. Plain functions that compile for CPU and GPU. **Source**: NUMERICS.md,
/// section 3.
namespace flcc::method::shared {

/// Smallest and largest finite voxel of a tile, and the number of voxels that are NaN or Inf.
struct VoxelRange {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
    std::int64_t nonFinite = 0;
};

template <class T> FLCC_HOST_DEVICE inline void addVoxel(VoxelRange& range, T voxel) {
    if (!base::finite(voxel)) {
        ++range.nonFinite;
        return;
    }
    const auto value = static_cast<double>(voxel);
    range.minimum = value < range.minimum ? value : range.minimum;
    range.maximum = value > range.maximum ? value : range.maximum;
}

/// The range of two sets of voxels.
FLCC_HOST_DEVICE inline VoxelRange together(const VoxelRange& a, const VoxelRange& b) {
    return {a.minimum < b.minimum ? a.minimum : b.minimum,
            a.maximum > b.maximum ? a.maximum : b.maximum, a.nonFinite + b.nonFinite};
}

/// The smallest exponent e with 2^e above `largest`; 0 if `largest` is 0, for a tile without
/// contrast.
FLCC_HOST_DEVICE inline int exponentAbove(double largest) {
    return largest > 0 ? std::ilogb(largest) + 1 : 0;
}

/// The exponent p of 2^p by which double voxels are divided before anything else, so that neither
/// their sum nor a difference overflows; 0 for other types.
template <class T> FLCC_HOST_DEVICE inline int preExponent(const VoxelRange& range) {
    if constexpr (std::is_same_v<T, double>) {
        const double low = std::fabs(range.minimum);
        const double high = std::fabs(range.maximum);
        const double top = low > high ? low : high;
        const int exponent = base::finite(top) ? exponentAbove(top) : 0;
        return exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    } else {
        return 0;
    }
}

/// The frame of a tile: x = (S - c) 2^-e, with |x| <= 1. c is near the mean of the tile's finite
/// voxels, and an integer for integer voxels. Voxels that are not finite count as c, so their x is
/// 0.
struct TileFrame {
    double level = 0;             ///< c
    std::int64_t signedLevel = 0; ///< c exactly, for signed 64-bit voxels
    std::uint64_t bareLevel = 0;  ///< c exactly, modulo 2^64, for all 64-bit voxels
    double pre = 1;               ///< 2^-preExponent(): scales double voxels and c before S - c
    double half = 1;              ///< half * rest = 2^-e / pre, which alone may be out of range
    double rest = 1;
    double unit = 1;     ///< 2^e
    double rounding = 0; ///< bound on |x 2^e - (S - c)|
    std::int64_t nonFinite = 0;
    bool exactSums = false; ///< x 2^e are integers; their squares over a template sum below 2^51
    bool constant = false;  ///< all voxels are finite and equal
};

namespace detail {

/// `value` as a 64-bit integer voxel; values above the type's range become its largest value.
template <class T> FLCC_HOST_DEVICE inline T asWideInteger(double value) {
    constexpr double kEnd = std::is_signed_v<T> ? 0x1p63 : 0x1p64;
    return value >= kEnd ? std::numeric_limits<T>::max() : static_cast<T>(value);
}

} // namespace detail

/// The frame of a tile with voxels of type T, for x of type Real. `sum` is the sum of the finite
/// voxels, each multiplied by 2^-preExponent(); `count` is their number. `templCount` is N, the
/// voxels of the template.
template <class T, class Real = float>
FLCC_HOST_DEVICE inline TileFrame frameOf(const VoxelRange& range, double sum, std::int64_t count,
                                          std::int64_t templCount) {
    constexpr bool kInteger = std::is_integral_v<T>;
    constexpr bool kWide = kInteger && sizeof(T) == 8;
    TileFrame frame;
    frame.nonFinite = range.nonFinite;
    if (count == 0) {
        return frame;
    }
    const int before = preExponent<T>(range);
    frame.pre = std::ldexp(1.0, -before);
    const double mean = sum / static_cast<double>(count); // times frame.pre
    double largest = 0;
    if constexpr (kInteger) {
        const double level = std::rint(mean);
        frame.level = level < range.minimum   ? range.minimum
                      : level > range.maximum ? range.maximum
                                              : level;
        if constexpr (kWide) {
            const T exact = detail::asWideInteger<T>(frame.level);
            frame.signedLevel = static_cast<std::int64_t>(exact);
            frame.bareLevel = static_cast<std::uint64_t>(exact);
        }
        const double above = range.maximum - frame.level;
        const double below = frame.level - range.minimum;
        largest = above > below ? above : below;
        if constexpr (kWide) { // VoxelRange holds doubles, which round 64-bit integers
            const double low = std::fabs(range.minimum);
            const double high = std::fabs(range.maximum);
            largest += 0x1p-51 * (low > high ? low : high);
        }
    } else {
        frame.level = std::is_same_v<T, float> ? static_cast<double>(static_cast<float>(mean))
                                               : mean / frame.pre;
        const double level = frame.level * frame.pre;
        const double above = range.maximum * frame.pre - level;
        const double below = level - range.minimum * frame.pre;
        largest = above > below ? above : below;
    }
    const int exponent = exponentAbove(largest);
    frame.half = std::ldexp(1.0, -exponent / 2);
    frame.rest = std::ldexp(1.0, -exponent - -exponent / 2);
    frame.unit = std::ldexp(1.0, exponent + before);
    constexpr int kDigits = std::numeric_limits<Real>::digits;
    const bool exact = kInteger && largest <= std::ldexp(1.0, kDigits);
    frame.rounding = exact || largest == 0 ? 0.0 : std::ldexp(1.0, exponent + before - kDigits - 1);
    frame.exactSums = exact && static_cast<double>(templCount) * largest * largest < 0x1p51;
    frame.constant = !kWide && range.minimum == range.maximum && range.nonFinite == 0;
    return frame;
}

/// x of a voxel in the frame of its tile; 0 for NaN and Inf. S - c is rounded in double, then x to
/// Real; for pixel types below 64 bits S - c of integers is exact.
template <class Real = float, class T>
FLCC_HOST_DEVICE inline Real centred(T voxel, const TileFrame& frame) {
    double difference = 0;
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        const auto value = static_cast<std::uint64_t>(voxel);
        const bool above = std::is_signed_v<T>
                               ? static_cast<std::int64_t>(voxel) >= frame.signedLevel
                               : value >= frame.bareLevel;
        difference = above ? static_cast<double>(value - frame.bareLevel)
                           : -static_cast<double>(frame.bareLevel - value);
    } else if constexpr (std::is_same_v<T, double>) {
        difference = base::finite(voxel) ? voxel * frame.pre - frame.level * frame.pre : 0.0;
    } else {
        difference = base::finite(voxel) ? static_cast<double>(voxel) - frame.level : 0.0;
    }
    return static_cast<Real>(difference * frame.half * frame.rest);
}

} // namespace flcc::method::shared
