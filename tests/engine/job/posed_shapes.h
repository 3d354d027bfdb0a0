#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/image.h"

// A shape with three unequal arms, drawn turned by matrices, and small readers of lists with angles
// that give matrices, written from what each format says of itself. Nothing here uses
// engine/rotation.

namespace flcc::test {

/// Row-major; takes points of the shape to the scene, both about their centres.
using Turn = std::array<double, 9>;

[[nodiscard]] Turn productOf(const Turn& a, const Turn& b);
[[nodiscard]] Turn transposedOf(const Turn& m);
/// By the right hand about an axis of length 1 (Rodrigues), degrees.
[[nodiscard]] Turn turnAbout(const base::Point& axis, double degrees);
/// Counter-clockwise on a screen, where y points down: by 90 degrees, right comes to lie on top.
[[nodiscard]] Turn onScreen(double degrees);

struct Placed {
    base::Point centre{};
    Turn turn{1, 0, 0, 0, 1, 0, 0, 0, 1};
    double scale = 1;
    bool mirrored = false; ///< along x, before it is turned
};

/// The shapes in an image of these extents; flat ones where it has one slice.
[[nodiscard]] base::Image<float> drawn(const base::Extents& n, const std::vector<Placed>& all);
/// **Shapes**: images of the same extents.
[[nodiscard]] double correlation(const base::Image<float>& a, const base::Image<float>& b);

/// Edge of the voxels of scenes whose lists are read, angstrom; their first voxel lies at 0.
inline constexpr double kListedVoxel = 10;

/// The shapes that a list says, in a scene of these extents. `format`: its name.
[[nodiscard]] std::vector<Placed> readPlaced(const std::string& format, const std::string& text,
                                             const base::Extents& scene);

} // namespace flcc::test
