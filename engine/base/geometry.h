#pragma once

#include <array>
#include <string>

#include "engine/base/extents.h"

namespace flcc::base {

/// Source of a spacing and its unit; the window shows it beside the unit.
enum class UnitSource { Missing, Header, User };

/// Position of a voxel grid in the world: world = origin + direction * (spacing o index). The
/// centre of voxel i has index i.
struct Geometry {
    Point origin{0, 0, 0};
    Point spacing{1, 1, 1};
    /// Row-major 3x3; column a is the unit vector of axis a.
    std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
    /// "mm", "um", "nm", "A", or "px" when no spacing is known.
    std::string unit = "px";
    UnitSource unitSource = UnitSource::Missing;

    friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// The world position of a point in voxel coordinates.
[[nodiscard]] Point toWorld(const Geometry& geometry, const Point& voxel);

/// The same grid with voxel 0 moved to position `voxel` of the old grid (for a crop or a map).
[[nodiscard]] Geometry movedTo(const Geometry& geometry, const Point& voxel);

} // namespace flcc::base
