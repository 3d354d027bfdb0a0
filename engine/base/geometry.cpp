#include "engine/base/geometry.h"

namespace flcc::base {

Point toWorld(const Geometry& geometry, const Point& voxel) {
    Point world = geometry.origin;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            world[row] +=
                geometry.direction[3 * row + axis] * (geometry.spacing[axis] * voxel[axis]);
        }
    }
    return world;
}

Geometry movedTo(const Geometry& geometry, const Point& voxel) {
    Geometry moved = geometry;
    moved.origin = toWorld(geometry, voxel);
    return moved;
}

} // namespace flcc::base
