#pragma once

#include <cstdint>

#include "engine/base/pixels.h"
#include "viz/detail/tiled_plane.h"
#include "viz/slice_scene.h"

namespace flcc::viz::detail {

/// Writes a rectangle of one plane of `image` as grey bytes: `window` low is 0, high 255; NaN is 0.
void greyPixels(const base::AnyView& image, const PlaneAxes& axes, std::int64_t slice,
                const GreyWindow& window, const TexelRect& rect, std::uint8_t* out,
                std::int64_t rowBytes);

/// The value of `v` as a grey byte.
[[nodiscard]] inline std::uint8_t greyOf(float v, float low, float scale) {
    const float grey = (v - low) * scale;
    // Written so that NaN fails the first comparison.
    return grey > 0.0F ? static_cast<std::uint8_t>(grey < 255.0F ? grey + 0.5F : 255.0F) : 0;
}

[[nodiscard]] inline float greyScale(const GreyWindow& window) {
    return window.high > window.low ? static_cast<float>(255.0 / (window.high - window.low)) : 1.0F;
}

} // namespace flcc::viz::detail
