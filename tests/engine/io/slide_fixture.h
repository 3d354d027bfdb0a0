#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace flcc::test {

/// A tiled pyramid of colours in TIFF, which OpenSlide reads as a slide.
struct SlideRecipe {
    struct Level {
        std::uint32_t width = 0;
        std::uint32_t height = 0;
    };
    std::vector<Level> levels;
    std::string description; ///< of the first page; that of an Aperio slide begins so
    std::uint32_t tile = 64;
    bool packed = false; ///< by deflate
};

/// Colour `c` of the pixel of a level. Neighbours differ, and levels.
[[nodiscard]] std::uint8_t slideValue(int level, std::int64_t x, std::int64_t y, int c);

void writeSlide(const std::filesystem::path& path, const SlideRecipe& recipe);

/// A slide of Hamamatsu without packing: PATH, a text, and the pictures a.ngr and b.ngr beside it.
/// Its pixels are oblong: 0.5 um along x, 0.25 um along y. **Shapes**: `width` is a multiple of 8.
void writeVmu(const std::filesystem::path& path, std::uint32_t width, std::uint32_t height);

} // namespace flcc::test
