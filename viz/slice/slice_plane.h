#pragma once

#include <array>
#include <cstdint>

#include "engine/base/geometry.h"
#include "viz/pixels/plane_view.h"
#include "viz/scene.h"
#include "viz/slice_scene.h"

namespace flcc::viz::detail {

/// The slice that a view shows, and where its voxels lie on the screen.
struct SlicePlane {
    explicit SlicePlane(Orientation shown) : orientation(shown), axes(axesOf(shown)) {}

    Orientation orientation;
    PlaneAxes axes;
    base::Extents extents{0, 0, 0};
    base::Geometry geometry;
    std::int64_t slice = 0;
    PlaneView view;

    /// The two coordinates of a point that lie in the plane.
    [[nodiscard]] std::array<double, 2> inPlane(const base::Point& voxel) const {
        return {voxel[axes.right], voxel[axes.down]};
    }
    /// Left, top, right, bottom edge in pixels from the corner of the view.
    [[nodiscard]] std::array<double, 4> edges(const base::Point& centre,
                                              const std::array<double, 3>& size) const;
    [[nodiscard]] std::array<double, 4> edges(const base::Box& box) const;
    [[nodiscard]] bool crosses(const base::Box& box) const; ///< the box crosses the slice
    [[nodiscard]] bool crosses(const PeakMark& peak) const; ///< the peak's box crosses the slice
};

/// The lengths that a peak's box takes on the axes of the scene.
[[nodiscard]] std::array<double, 3> sizeOf(const PeakMark& peak);

} // namespace flcc::viz::detail
