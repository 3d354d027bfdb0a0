#pragma once

#include <cstdint>

namespace flcc::filter::detail {

/// What copyRow() found.
struct RowFacts {
    double largest = 0; ///< magnitude of the voxels; infinite or NaN if one is not finite
    bool finite = true; ///< all voxels are
};

/// Copies `count` voxels in one pass. Whole vectors only: nothing behind the last is written.
[[nodiscard]] RowFacts copyRow(const float* from, std::int64_t count, float* to);
[[nodiscard]] RowFacts copyRow(const float* from, std::int64_t count, double* to);

} // namespace flcc::filter::detail
