#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/image.h"

/// Draws figures without a library: boxes, lines, marks and short texts on a grey picture. Whatever
/// leaves the picture is left out.
namespace flcc::job::detail {

using Picture = base::Image<std::uint8_t>;

inline constexpr std::uint8_t kWhite = 255;
inline constexpr std::uint8_t kBlack = 0;
inline constexpr std::int64_t kLetter = 6; ///< pixels from one letter to the next
inline constexpr std::int64_t kLine = 8;   ///< pixels from one line of text to the next

/// A pixel of the picture.
struct Place {
    std::int64_t x;
    std::int64_t y;
};

/// Pixels that `text` takes along x. `scale` enlarges letters by a whole number.
[[nodiscard]] std::int64_t widthOf(std::string_view text, std::int64_t scale = 1);

void fill(Picture& picture, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
          std::uint8_t grey);

/// Writes `text` in black, its upper left corner at (x, y). Letters: the digits, a to z, `CDFILT`
/// and `-,.():/+`; another one leaves a gap.
void write(Picture& picture, std::int64_t x, std::int64_t y, std::string_view text,
           std::int64_t scale = 1);

/// Joins the places by a line of two pixels, `dashed` or not.
void drawLine(Picture& picture, const std::vector<Place>& places, std::uint8_t grey, bool dashed);

/// The shapes of marks; another method has the next one.
inline constexpr int kMarkShapes = 5;

/// A mark of 9 pixels about `centre`: a square, a disc, a diamond, a triangle or a cross, `filled`
/// or as an outline.
void drawMark(Picture& picture, Place centre, int shape, std::uint8_t grey, bool filled);

} // namespace flcc::job::detail
