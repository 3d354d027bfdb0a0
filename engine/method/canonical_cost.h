#pragma once

#include <cstdint>

namespace flcc::method {

/// Predicted nanoseconds of a canonical value (canonicalValue()) for one panel of a template of
/// `count` voxels, for an operation of that `share` (OperationTraits::canonicalShare).
[[nodiscard]] inline double canonicalNs(std::int64_t count, double share = 1) {
    return share * (50 + 0.55 * static_cast<double>(count));
}

} // namespace flcc::method
