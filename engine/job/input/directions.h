#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"

namespace flcc::job::detail {

/// Directions that differ by less, in radians, are the same: 0.05 voxels at the edge of a template
/// of 100 voxels, and far above the rounding of headers (a float's 6e-8, six digits of a DICOM
/// text).
inline constexpr double kSameDirection = 1e-3;

[[nodiscard]] inline std::array<std::int64_t, 3> lengthsOf(const base::Extents& n) {
    return {n.x, n.y, n.z};
}

/// How the axes of one image run beside those of another.
struct AxisTurn {
    /// Axis a of the other image runs along axis `from[a]` of this one,
    std::array<std::size_t, 3> from{0, 1, 2};
    /// or against it.
    std::array<bool, 3> against{false, false, false};

    [[nodiscard]] bool isNone() const { return *this == AxisTurn{}; }
    /// "-x z y": the axis of this image along each axis of the other one.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const AxisTurn&, const AxisTurn&) = default;
};

/// The turn that brings the axes of `own` nearest to those of `other`, and what is left.
struct Relation {
    AxisTurn turn;
    double left = 0; ///< radians, the largest of an axis
    [[nodiscard]] bool isOblique() const { return left > kSameDirection; }
};

/// **Formula**: M = D_other^-1 D_own; `turn` takes the largest elements of M, one in each row and
/// column. Empty where the axes of one of them lie in a plane.
[[nodiscard]] std::optional<Relation> relationOf(const base::Geometry& own,
                                                 const base::Geometry& other);

/// The extents after a turn.
[[nodiscard]] base::Extents turnedExtents(const base::Extents& extents, const AxisTurn& turn);

/// The same image with its voxels in the order of the other one's axes: every voxel stays where it
/// is in space.
[[nodiscard]] base::AnyImage turnedPixels(const base::AnyView& pixels, const AxisTurn& turn);
[[nodiscard]] base::Geometry turnedGeometry(const base::Geometry& own, const base::Extents& extents,
                                            const AxisTurn& turn);

} // namespace flcc::job::detail
