#pragma once

#include <stop_token>

#include "engine/base/geometry.h"
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

} // namespace flcc::filter
