#pragma once

#include <cmath>
#include <type_traits>

namespace flcc::base {

/// True for every integer and for a floating-point number that is neither NaN nor infinite.
template <class T> [[nodiscard]] bool finite(T v) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::isfinite(v);
    } else {
        return true;
    }
}

} // namespace flcc::base
