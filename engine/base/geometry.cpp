#include "engine/base/geometry.h"

namespace flcc::base {
namespace {

/// In LPS where the axes have a name.
Point placeOf(const Geometry& geometry, const Point& voxel) {
    Point world = geometry.origin;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            world[row] +=
                geometry.direction[3 * row + axis] * (geometry.spacing[axis] * voxel[axis]);
        }
    }
    return world;
}

/// -v, but never -0.
double turned(double v) { return 0.0 - v; }

} // namespace

Point toWorld(const Geometry& geometry, const Point& voxel) {
    const Point place = placeOf(geometry, voxel);
    return geometry.axes == WorldAxes::Ras ? Point{turned(place[0]), turned(place[1]), place[2]}
                                           : place;
}

Geometry asStated(const Geometry& geometry) {
    Geometry stated = geometry;
    if (geometry.axes == WorldAxes::Ras) {
        for (std::size_t row = 0; row < 2; ++row) {
            stated.origin[row] = turned(geometry.origin[row]);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                stated.direction[3 * row + axis] = turned(geometry.direction[3 * row + axis]);
            }
        }
    }
    return stated;
}

std::string_view name(WorldAxes axes) {
    return axes == WorldAxes::Ras ? "RAS" : axes == WorldAxes::Lps ? "LPS" : "";
}

Geometry movedTo(const Geometry& geometry, const Point& voxel) {
    Geometry moved = geometry;
    moved.origin = placeOf(geometry, voxel);
    return moved;
}

} // namespace flcc::base
