#pragma once

#include <cstdint>

namespace flcc::method {

/// Predicted nanoseconds of canonicalScore() for one panel of a template of `count` voxels.
[[nodiscard]] inline double canonicalNs(std::int64_t count) {
    return 50 + 0.55 * static_cast<double>(count);
}

} // namespace flcc::method
