#pragma once

#include <array>
#include <cstdint>
#include <stop_token>

#include "engine/base/geometry.h"
#include "engine/base/image.h"
#include "engine/base/pixels.h"

namespace flcc::filter {

/// The extents of an image whose voxels become `ratio` times as many along each axis: rounded, at
/// least 1. A flat image stays flat.
[[nodiscard]] base::Extents resampledExtents(const base::Extents& extents,
                                             const base::Point& ratio);

/// An image on another grid.
struct Resampled {
    base::AnyImage pixels; ///< float32; float64 for a source of 32 and 64-bit integers and float64
    base::Geometry geometry;
};

/// `source` with the spacing of `target`; the middle of the image stays where it is. Linear
/// interpolation: out(i) = sum w(j - x) in(j) / sum w(j - x) along each axis, where x is the place
/// of i in `source` and w a triangle of half width 1. Where voxels become fewer the triangle is as
/// wide as they are apart, an average, so that nothing finer than the new grid is left to alias.
/// Voxels outside count as none.
/// **Units**: both geometries state lengths (base::spacingsDiffer). If cancelled, the pixels are
/// unspecified. **Errors**: std::bad_alloc. **Cost**: one pass an axis.
[[nodiscard]] Resampled resample(const base::AnyView& source, const base::Geometry& own,
                                 const base::Geometry& target, const std::stop_token& stop = {});

/// How values between voxels are made.
enum class Interpolation {
    Linear, ///< nothing beyond the values of the neighbours: masks
    Cubic,  ///< the kernel of Keys with a = -1/2, as turned templates have it
};

/// An image in space, on a grid of other directions.
struct OnGrid {
    base::Image<double> values;
    base::Image<std::uint8_t> inside; ///< 1 where a voxel of the source reaches, else 0
};

/// `source` at the voxels of `target`, by origins, directions and spacings. Along an axis of the
/// source whose voxels are finer than those of the target, it is averaged before, so that nothing
/// finer than the new grid is left to alias. Outside of the source values are 0: for Cubic beyond
/// the centres of the outermost voxels, for Linear beyond their edges, up to which they are
/// repeated.
/// **Units**: both geometries state lengths, or both have the same unit. If cancelled, the values
/// are unspecified. **Errors**: std::bad_alloc. **Cost**: 64 products a voxel, 8 if linear.
[[nodiscard]] OnGrid onGrid(const base::AnyView& source, const base::Geometry& own,
                            const base::Geometry& target, const base::Extents& extents,
                            Interpolation interpolation, const std::stop_token& stop = {});

/// The matrix and the offset that lead from voxels of `target` to voxels of `own`, in space.
struct VoxelMap {
    std::array<double, 9> matrix{}; ///< row-major
    base::Point offset{0, 0, 0};

    [[nodiscard]] base::Point at(const base::Point& voxel) const;
};
/// **Shapes**: the directions of `own` span space.
[[nodiscard]] VoxelMap voxelMap(const base::Geometry& own, const base::Geometry& target);

} // namespace flcc::filter
