#pragma once

#include <cstdint>
#include <vector>

#include "engine/rotation/orientation.h"

namespace flcc::rotation::detail {

/// Where the voxels of one row of a pose lie in a flat template of whole support.
struct PlacesOfRow {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<std::uint8_t> inside; ///< nearest to a voxel of the template
    std::vector<std::uint8_t> deep;   ///< all voxels under the cubic kernel are of the template

    explicit PlacesOfRow(std::int64_t count);

    /// `back`: from offsets of the pose to offsets of the template; `row`: offset of the row,
    /// `first` of its first voxel. `centre` and `lengths`: of the template. Places within `snap`
    /// of a voxel lie on it.
    void set(const Matrix& back, double first, double row, const base::Point& centre,
             const base::Extents& lengths, double snap);
};

/// The values at places `from` up to but not `to`, which are deep, by cubic convolution.
/// `values`: of the template, rows of `width`. The bits are those of the sums in turn.cpp.
void cubicRow(const PlacesOfRow& places, std::int64_t from, std::int64_t to, const double* values,
              std::int64_t width, double* result);

} // namespace flcc::rotation::detail
