#pragma once

#include "viz/labels/scalar_bar.h"
#include "viz/slice_scene.h"

namespace flcc::viz::detail {

/// The colour of an axis in every view: x red, y green, z blue.
[[nodiscard]] match::Colour axisColour(std::size_t axis);
[[nodiscard]] const char* axisLetter(std::size_t axis);

/// `share` of b and the rest of a.
[[nodiscard]] match::Colour mixed(const match::Colour& a, const match::Colour& b, double share);

/// Draws two arrows, labelled with the axis to the right and the axis downwards: at the top left,
/// or at the bottom left if they cover the picture at the top alone. `picture`: its edges.
void drawAxisMarks(const Canvas& canvas, const PlaneAxes& axes, const std::array<bool, 2>& flips,
                   const std::array<double, 4>& picture);

} // namespace flcc::viz::detail
