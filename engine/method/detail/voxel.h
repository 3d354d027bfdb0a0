#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace flcc::method::detail {

inline constexpr double kUnitRoundoff = 0x1p-53;

/// Number of partial sums of a canonical value. It is fixed, so that every instruction set makes
/// the same additions in the same order.
inline constexpr int kLanes = 8;

/// v - reference without overflow, rounded once; the difference of integers is exact before that.
/// For doubles, both values are multiplied by `scale`, a power of two, first.
template <class T> [[gnu::always_inline]] inline double difference(T v, T reference, double scale) {
    if constexpr (std::is_same_v<T, double>) {
        return v * scale - reference * scale;
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        return v >= reference ? static_cast<double>(static_cast<std::uint64_t>(v) -
                                                    static_cast<std::uint64_t>(reference))
                              : -static_cast<double>(static_cast<std::uint64_t>(reference) -
                                                     static_cast<std::uint64_t>(v));
    } else {
        return static_cast<double>(v) - static_cast<double>(reference);
    }
}

} // namespace flcc::method::detail
