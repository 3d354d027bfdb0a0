#pragma once

#include <type_traits>

#include "engine/base/host_device.h"

namespace flcc::base {

/// True for every integer and for a floating-point number that is neither NaN nor infinite.
template <class T> [[nodiscard]] FLCC_HOST_DEVICE bool finite(T v) {
    if constexpr (std::is_floating_point_v<T>) {
        return v - v == T{0}; // of NaN and Inf the difference to itself is NaN
    } else {
        return true;
    }
}

} // namespace flcc::base
