#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/base/extents.h"

namespace flcc::base {

/// Source of a spacing and its unit; the window shows it beside the unit.
enum class UnitSource { Missing, Header, User };

/// Where the world axes x, y and z point in a patient. LPS: left, back (posterior), up (superior),
/// as in DICOM and ITK. RAS: right, front (anterior), up, as in NIfTI. Unnamed: nobody says.
enum class WorldAxes { Unnamed, Lps, Ras };

/// Position of a voxel grid in the world: origin + direction * (spacing o index), in LPS where the
/// axes have a name. The centre of voxel i has index i.
struct Geometry {
    Point origin{0, 0, 0};
    Point spacing{1, 1, 1};
    /// Row-major 3x3; column a is the unit vector of axis a.
    std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
    /// "mm", "um", "nm", "A", or "px" when no spacing is known.
    std::string unit = "px";
    UnitSource unitSource = UnitSource::Missing;
    /// The axes in which positions are stated, see toWorld().
    WorldAxes axes = WorldAxes::Unnamed;

    friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// The world position of a point in voxel coordinates, in geometry.axes.
[[nodiscard]] Point toWorld(const Geometry& geometry, const Point& voxel);

/// Origin and direction in geometry.axes, as toWorld() states positions. For texts only.
[[nodiscard]] Geometry asStated(const Geometry& geometry);

/// "RAS", "LPS"; empty for Unnamed.
[[nodiscard]] std::string_view name(WorldAxes axes);

/// The same grid with voxel 0 moved to position `voxel` of the old grid (for a crop or a map).
[[nodiscard]] Geometry movedTo(const Geometry& geometry, const Point& voxel);

} // namespace flcc::base
