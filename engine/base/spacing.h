#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"

namespace flcc::base {

/// The distance of voxels that a person states for an image, in place of what its file says.
struct Spacing {
    /// Along x, y and z. A z of 0 is not stated: the image must be flat.
    Point size{1, 1, 1};
    std::string unit = "px"; ///< "mm", "um", "nm", "A", or "px"

    friend bool operator==(const Spacing&, const Spacing&) = default;
};

/// Reads "X[,Y[,Z]][UNIT]", such as "0.5um" or "0.2,0.2,1 mm". One number is for all axes; without
/// a unit it is pixels. Units are m, cm, mm, um, nm, A and px; metres and centimetres become mm.
/// **Errors**: CommandLine.
[[nodiscard]] Spacing parseSpacing(std::string_view text);

/// The shortest text that parseSpacing() reads back.
[[nodiscard]] std::string toString(const Spacing& spacing);

/// `geometry` with another spacing and unit, UnitSource::User. The origin stays where it is: it is
/// converted with the unit if the geometry's own unit is stated and both are lengths; otherwise it
/// stays the same number of voxels from zero along each axis. Calling it again changes nothing.
/// **Errors**: Problem when z is not stated and the image is a volume.
[[nodiscard]] Geometry withSpacing(const Geometry& geometry, const Spacing& spacing,
                                   const Extents& extents);

/// "header", "user", "missing": the words of files and reports.
[[nodiscard]] std::string_view name(UnitSource source);

/// How many times as long as a voxel of `b` a voxel of `a` is, along each axis. **Shapes**: both
/// units are known lengths, or both are the same.
[[nodiscard]] Point spacingRatio(const Geometry& a, const Geometry& b);

/// The edges of a voxel, the shortest of the used axes (z in volumes alone) 1: lengths in space by
/// numbers of voxels. All 1 where they differ by less than a thousandth.
[[nodiscard]] Point voxelEdges(const Geometry& geometry, bool volume);

/// Metres of a unit of Geometry, or of "m" and "cm"; nothing for pixels and others.
[[nodiscard]] std::optional<double> metresOf(std::string_view unit);

/// True if both spacings are stated, in lengths, and differ by more than a thousandth. Where one is
/// missing, nobody knows whether they differ.
[[nodiscard]] bool spacingsDiffer(const Geometry& a, const Geometry& b, bool volume);

} // namespace flcc::base
