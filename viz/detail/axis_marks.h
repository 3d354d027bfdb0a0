#pragma once

#include "viz/detail/scalar_bar.h"
#include "viz/slice_scene.h"

namespace flcc::viz::detail {

/// The colour of an axis in every view: x red, y green, z blue.
[[nodiscard]] match::Colour axisColour(std::size_t axis);
[[nodiscard]] const char* axisLetter(std::size_t axis);

/// `share` of b and the rest of a.
[[nodiscard]] match::Colour mixed(const match::Colour& a, const match::Colour& b, double share);

/// Draws two arrows at the top left, labelled with the axis to the right and the axis downwards.
void drawAxisMarks(const Canvas& canvas, const PlaneAxes& axes, const std::array<bool, 2>& flips);

} // namespace flcc::viz::detail
