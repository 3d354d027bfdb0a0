#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace flcc::match {

/// sRGB, 0..255.
using Colour = std::array<std::uint8_t, 3>;

enum class ColourMap {
    Viridis,   ///< maps of one sign
    Diverging, ///< symmetric about 0, when negative scores count
    Cividis,   ///< the colour-blind choice
};

/// "viridis", "diverging", "cividis".
[[nodiscard]] std::string_view name(ColourMap map);

/// The colour at `position` in [0, 1]; outside it is clamped. 256 steps.
[[nodiscard]] Colour colourAt(ColourMap map, double position);

/// How scores are mapped to colours.
struct HeatmapScale {
    ColourMap map = ColourMap::Viridis;
    double low = 0;
    double high = 1;
    bool reversed = false; ///< `low` has the last colour of the map, as where the smallest is best
};

/// The colour of a score.
[[nodiscard]] Colour colourOf(const HeatmapScale& scale, double score);

/// The colour of a LOWCONF voxel: that of its score, half mixed with a pink no scale has.
inline constexpr Colour kLowConf{255, 20, 180};
[[nodiscard]] Colour lowConfColour(const Colour& score);

/// Hatch of voxels without a value (FLAT, NONFINITE, NOT_COMPUTED): two greys in diagonal stripes
/// of 4 pixels. `x` and `y` are pixels of the picture.
inline constexpr Colour kHatchLight{150, 150, 150};
inline constexpr Colour kHatchDark{90, 90, 90};
[[nodiscard]] Colour hatchColour(std::int64_t x, std::int64_t y);

} // namespace flcc::match
