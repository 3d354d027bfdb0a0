#pragma once

#include <array>

#include "viz/pixels/plane_view.h"
#include "viz/scene.h"

namespace flcc::viz::detail {

// Sizes of the plates of bars in logical pixels.
inline constexpr double kBarGap = 8; ///< between a plate and the edges of the view
inline constexpr double kAxesSide = 46;
inline constexpr double kScalarBarWidth = 62;
/// The strip at the left or right edge of a view that holds axes, short scale bar or scalar bar.
inline constexpr double kSideStrip = kScalarBarWidth + 2 * kBarGap;
inline constexpr double kFlatBarStrip = 22; ///< holds a scale bar beside its text

/// The bars of a view: those that are switched on and for which the view is large enough.
struct Bars {
    bool axes = false;
    bool scale = false;
    bool scalar = false;
};
[[nodiscard]] Bars barsOf(int width, int height, double ratio, const Bars& wanted);

/// Margins that hold all bars beside a picture: axes and scale bar in a strip at the left, or in
/// one at the bottom. The scalar bar has a strip at the right.
[[nodiscard]] std::array<Margins, 2> barMargins(const Bars& bars, double ratio);

/// The area in device pixels in which a plate covers the picture, whose edges are left, top, right
/// and bottom.
[[nodiscard]] double coveredArea(const Label& plate, const std::array<double, 4>& picture);

} // namespace flcc::viz::detail
