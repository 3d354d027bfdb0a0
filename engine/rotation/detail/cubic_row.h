#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/rotation/orientation.h"

namespace flcc::rotation::detail {

/// The voxels of one row of a pose and where they lie in the template.
struct RowOfPlaces {
    std::int64_t from = 0; ///< the voxels of the row that can lie in the template
    std::int64_t to = 0;
    std::array<std::vector<double>, 3> place; ///< of voxel `from` + i, on each axis
    std::vector<std::uint8_t> inside;         ///< nearest to a voxel of the template
    std::vector<std::uint8_t> deep; ///< all voxels under the cubic kernel are of the template

    explicit RowOfPlaces(std::int64_t count);

    /// `back`: from offsets of the pose to offsets of the template. `row`: offset of the first of
    /// the `count` voxels of the row. `centre` and `lengths`: of the template. A flat template is
    /// placed in the slice `slice`, others have -1. Places within `snap` of a voxel lie on it.
    void set(const Matrix& back, const base::Point& row, const base::Point& centre,
             const base::Extents& lengths, std::int64_t slice, double snap, std::int64_t count);
};

/// The values at places `first` up to but not `last` of a row, which are deep, by cubic convolution
/// with the kernel of Keys. `values`: of the template; of a flat one only its slice.
void cubicRow(const RowOfPlaces& row, std::int64_t first, std::int64_t last, bool flat,
              const double* values, const base::Extents& lengths, double* result);

/// The same by linear interpolation.
void linearRow(const RowOfPlaces& row, std::int64_t first, std::int64_t last, bool flat,
               const double* values, const base::Extents& lengths, double* result);

} // namespace flcc::rotation::detail
