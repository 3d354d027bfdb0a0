#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/match/colour_map.h"

namespace flcc::viz {

/// A rendered picture: RGBA, four bytes per pixel, row 0 at the top.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;

    /// The colour of a pixel; `x` and `y` must lie inside the picture.
    [[nodiscard]] match::Colour at(int x, int y) const {
        const std::size_t i = (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                               static_cast<std::size_t>(x)) *
                              4;
        return {rgba[i], rgba[i + 1], rgba[i + 2]};
    }
};

} // namespace flcc::viz
