#include "engine/job/bench/painter.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace flcc::job::detail {

namespace {

/// Glyphs of 5x7 pixels, a byte a row, the leftmost pixel in bit 4.
struct Glyph {
    char letter;
    std::array<std::uint8_t, 7> rows;
};
constexpr std::array<Glyph, 51> kGlyphs{{
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'a', {0, 0, 14, 1, 15, 17, 15}},    {'b', {16, 16, 22, 25, 17, 17, 30}},
    {'c', {0, 0, 14, 16, 16, 17, 14}},   {'d', {1, 1, 13, 19, 17, 17, 15}},
    {'e', {0, 0, 14, 17, 31, 16, 14}},   {'f', {6, 9, 8, 28, 8, 8, 8}},
    {'g', {0, 15, 17, 17, 15, 1, 14}},   {'h', {16, 16, 22, 25, 17, 17, 17}},
    {'i', {4, 0, 12, 4, 4, 4, 14}},      {'j', {2, 0, 6, 2, 2, 18, 12}},
    {'k', {16, 16, 18, 20, 24, 20, 18}}, {'l', {12, 4, 4, 4, 4, 4, 14}},
    {'m', {0, 0, 26, 21, 21, 17, 17}},   {'n', {0, 0, 22, 25, 17, 17, 17}},
    {'o', {0, 0, 14, 17, 17, 17, 14}},   {'p', {0, 0, 30, 17, 30, 16, 16}},
    {'q', {0, 0, 13, 19, 15, 1, 1}},     {'r', {0, 0, 22, 25, 16, 16, 16}},
    {'s', {0, 0, 14, 16, 14, 1, 30}},    {'t', {8, 8, 28, 8, 8, 9, 6}},
    {'u', {0, 0, 17, 17, 17, 19, 13}},   {'v', {0, 0, 17, 17, 17, 10, 4}},
    {'w', {0, 0, 17, 17, 21, 21, 10}},   {'x', {0, 0, 17, 10, 4, 10, 17}},
    {'y', {0, 0, 17, 17, 15, 1, 14}},    {'z', {0, 0, 31, 2, 4, 8, 31}},
    {'-', {0, 0, 0, 31, 0, 0, 0}},       {'D', {28, 18, 17, 17, 17, 18, 28}},
    {',', {0, 0, 0, 0, 12, 4, 8}},       {' ', {0, 0, 0, 0, 0, 0, 0}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'(', {2, 4, 8, 8, 8, 4, 2}},
    {')', {8, 4, 2, 2, 2, 4, 8}},        {':', {0, 12, 12, 0, 12, 12, 0}},
    {'/', {0, 1, 2, 4, 8, 16, 0}},       {'L', {16, 16, 16, 16, 16, 16, 31}},
    {'C', {14, 17, 16, 16, 16, 17, 14}}, {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},      {'F', {31, 16, 16, 30, 16, 16, 16}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},
}};

constexpr std::int64_t kDash = 7; ///< pixels of a dash, and of the gap after it
constexpr std::int64_t kMarkReach = 4;

/// True if a pixel that is (x, y) away from the centre of a mark belongs to the shape.
bool isInMark(int shape, std::int64_t x, std::int64_t y) {
    constexpr std::int64_t kReach = kMarkReach;
    if (std::abs(x) > kReach || std::abs(y) > kReach) {
        return false;
    }
    switch (shape % kMarkShapes) {
    case 0:
        return std::abs(x) < kReach && std::abs(y) < kReach;
    case 1:
        return x * x + y * y <= kReach * kReach;
    case 2:
        return std::abs(x) + std::abs(y) <= kReach;
    case 3:
        return 2 * std::abs(x) <= y + kReach && y < kReach;
    default:
        return std::abs(std::abs(x) - std::abs(y)) <= 1;
    }
}

} // namespace

std::int64_t widthOf(std::string_view text, std::int64_t scale) {
    return static_cast<std::int64_t>(text.size()) * kLetter * scale;
}

void fill(Picture& picture, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
          std::uint8_t grey) {
    const base::Extents& n = picture.extents();
    const std::int64_t left = std::clamp<std::int64_t>(x, 0, n.x);
    const std::int64_t right = std::clamp<std::int64_t>(x + width, left, n.x);
    const std::int64_t bottom = std::min(y + height, n.y);
    for (std::int64_t row = std::max<std::int64_t>(y, 0); row < bottom; ++row) {
        std::fill_n(picture.view().row(row, 0) + left, right - left, grey);
    }
}

void write(Picture& picture, std::int64_t x, std::int64_t y, std::string_view text,
           std::int64_t scale) {
    for (const char letter : text) {
        const auto* const glyph = std::find_if(kGlyphs.begin(), kGlyphs.end(),
                                               [&](const Glyph& g) { return g.letter == letter; });
        for (std::int64_t row = 0; glyph != kGlyphs.end() && row < 7; ++row) {
            for (std::int64_t column = 0; column < 5; ++column) {
                if ((glyph->rows[static_cast<std::size_t>(row)] >> (4 - column) & 1) != 0) {
                    fill(picture, x + column * scale, y + row * scale, scale, scale, kBlack);
                }
            }
        }
        x += kLetter * scale;
    }
}

void drawLine(Picture& picture, const std::vector<Place>& places, std::uint8_t grey, bool dashed) {
    std::int64_t drawn = 0; // pixels along the line, so that dashes go on across a place
    for (std::size_t i = 1; i < places.size(); ++i) {
        const Place& from = places[i - 1];
        const std::int64_t x = places[i].x - from.x;
        const std::int64_t y = places[i].y - from.y;
        const std::int64_t steps = std::max({std::abs(x), std::abs(y), std::int64_t{1}});
        for (std::int64_t step = 0; step < steps; ++step, ++drawn) {
            if (!dashed || drawn / kDash % 2 == 0) {
                fill(picture, from.x + x * step / steps, from.y + y * step / steps, 2, 2, grey);
            }
        }
    }
}

void drawMark(Picture& picture, Place centre, int shape, std::uint8_t grey, bool filled) {
    for (std::int64_t y = -kMarkReach; y <= kMarkReach; ++y) {
        for (std::int64_t x = -kMarkReach; x <= kMarkReach; ++x) {
            if (isInMark(shape, x, y)) {
                const bool inside = isInMark(shape, x - 1, y) && isInMark(shape, x + 1, y) &&
                                    isInMark(shape, x, y - 1) && isInMark(shape, x, y + 1);
                fill(picture, centre.x + x, centre.y + y, 1, 1, filled || !inside ? grey : kWhite);
            }
        }
    }
}

} // namespace flcc::job::detail
