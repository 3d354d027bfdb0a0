#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "engine/base/pixels.h"
#include "engine/method/detail/voxel.h"

namespace flcc::method::detail {

/// The power of two that brings `largest` below 1.
inline double powerBelow(double largest) {
    return largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest) - 1, -1022, 1022)) : 1.0;
}

/// The value of type T nearest to value + by / scale. Only doubles have a `scale` other than 1.
template <class T> T shifted(T value, double by, double scale) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        const auto steps = static_cast<std::uint64_t>(std::min(std::abs(by), 0x1.fffffffffffffp63));
        const auto bits = static_cast<std::uint64_t>(value);
        return static_cast<T>(by < 0 ? bits - steps : bits + steps);
    } else if constexpr (std::is_same_v<T, double>) {
        return (value * scale + by) / scale;
    } else {
        return static_cast<T>(static_cast<double>(value) + by);
    }
}

/// Sets `values` to the differences of the voxels of the support to shifted(first of them, by),
/// each rounded once; 0 elsewhere. Double voxels are scaled by a power of two to magnitudes below 1
/// first. An empty `support` means that all voxels count.
template <class T>
void differencesUnder(const base::View<const T>& view, const base::Image<std::uint8_t>& support,
                      double by, base::Image<double>& values) {
    const base::Extents& extents = view.extents();
    const auto forSupport = [&](const auto& take) {
        std::int64_t from = 0;
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y, from += extents.x) {
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    if (support.empty() || support.data()[from + x] != 0) {
                        take(view.at(x, y, z), from + x);
                    }
                }
            }
        }
    };
    std::optional<T> first;
    double most = 0; // as scaleOf(), of the support
    forSupport([&](T value, std::int64_t) {
        first = first.value_or(value);
        most = std::max(most, std::abs(static_cast<double>(value)));
    });
    const double scale = std::is_same_v<T, double> ? powerBelow(most) : 1.0;
    const T reference = shifted(first.value_or(T{}), by, scale);
    values.fill(0);
    forSupport(
        [&](T value, std::int64_t at) { values.data()[at] = difference(value, reference, scale); });
}

/// True when the difference of two voxels of this type may not be exact in double.
inline bool maySpoilDifferences(base::PixelType type) {
    using enum base::PixelType;
    return type == Float32 || type == Float64 || type == Int64 || type == UInt64;
}

} // namespace flcc::method::detail
