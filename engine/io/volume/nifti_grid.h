#pragma once

#include <array>
#include <cstddef>
#include <filesystem>

#include "engine/base/geometry.h"
#include "engine/io/image_file.h"

namespace flcc::io::detail {

/// The fields of a NIfTI header that place its grid: right-anterior-superior, in its own unit.
struct NiftiGrid {
    int quaternionCode = 0; ///< qform_code; above 0 the quaternion counts
    int matrixCode = 0;     ///< sform_code; above 0 the matrix counts
    bool single = true;     ///< the header holds float32 (NIfTI-1)
    double handedness = 1;  ///< qfac: below 0 the third axis is reversed
    std::array<double, 3> spacing{1, 1, 1};
    std::array<double, 3> quaternion{};            ///< b, c, d; a follows from unit length
    std::array<double, 3> offset{};                ///< of the quaternion
    std::array<std::array<double, 4>, 3> matrix{}; ///< rows of the sform
};

/// Sets spacing, origin and direction of the first `axes` axes in left-posterior-superior: by the
/// matrix (sform) if it has a code and an inverse, else by the quaternion (qform) if that has a
/// code, as nibabel, FSL and SPM do. Without any code the grid lies at the origin, unturned. Says
/// in a note what was assumed. **Errors**: Input when the only one that has a code has no inverse.
void setNiftiGeometry(const std::filesystem::path& path, const NiftiGrid& grid, std::size_t axes,
                      ImageInfo& info);

/// Analyze 7.5: x runs to the left, y to the front, z up. `origin` is the voxel of SPM at the
/// origin of the world, counted from 1; without one, the middle of the grid lies there. `orient` is
/// the code of the header, which is not used. Says so in notes.
void setAnalyzeGeometry(const std::array<double, 3>& spacing, const std::array<int, 3>& origin,
                        int orient, ImageInfo& info);

/// The grid of a geometry whose lengths are in the unit of the file.
[[nodiscard]] NiftiGrid niftiGridOf(const base::Geometry& geometry);

} // namespace flcc::io::detail
