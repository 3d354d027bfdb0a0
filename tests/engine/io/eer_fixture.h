#pragma once

#include <cstdint>
#include <vector>

#include "tests/engine/io/fixtures.h"

namespace flcc::test {

constexpr std::uint32_t kEerWidth = 64;
constexpr std::uint32_t kEerHeight = 48;

/// How a file of electron events codes them.
struct EerRecipe {
    int frames = 1;
    std::uint16_t compression = 65000; ///< 65001: 7 bits, 65002: the bits are stated
    unsigned runBits = 8;
    unsigned across = 2;
    unsigned down = 2;
    bool prototype = false; ///< a place follows the largest run too
    bool picture = false;   ///< comes before the frames
};

/// Electrons of a frame, by the number of their pixels: sparse, so that long runs occur.
[[nodiscard]] std::vector<std::uint32_t> eerElectrons(int frame);

/// A BigTIFF file of frames in two strips each.
[[nodiscard]] Bytes makeEer(const EerRecipe& recipe);

} // namespace flcc::test
