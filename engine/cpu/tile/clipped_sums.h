#pragma once

#include <cstdint>

#include "engine/base/image.h"

namespace flcc::cpu {

/// Sums of the values of a template over boxes of it, from a table of the sums of all boxes at its
/// first corner: what counts of a template beyond the border of a scene. **Source**: METHODS 2.0.
class ClippedSums {
  public:
    explicit ClippedSums(const base::Image<double>& values);

    /// Sums of the voxels of rows `y0` to `y1` - 1 of slices `z0` to `z1` - 1 before column i, for
    /// i from 0 to the length of a row: its length + 1 values.
    void line(std::int64_t y0, std::int64_t y1, std::int64_t z0, std::int64_t z1, double* to) const;

    /// The error of a difference of two values of line(), if the magnitudes of all values of the
    /// template have this sum.
    [[nodiscard]] static double error(const base::Extents& m, double sum) {
        return 8 * static_cast<double>(m.x + m.y + m.z + 1) * 0x1p-53 * sum;
    }
    [[nodiscard]] static std::int64_t bytes(const base::Extents& m) {
        return 8 * (m.x + 1) * (m.y + 1) * (m.z + 1);
    }

  private:
    base::Image<double> m_table;
};

} // namespace flcc::cpu
