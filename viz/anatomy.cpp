#include "viz/anatomy.h"

#include <cmath>
#include <string_view>

namespace flcc::viz {
namespace {

constexpr std::string_view kHigh = "LPS";
constexpr std::string_view kLow = "RAI";

char opposite(char letter) {
    const std::size_t high = kHigh.find(letter);
    return high != std::string_view::npos ? kLow[high] : kHigh[kLow.find(letter)];
}

} // namespace

char Anatomy::low(std::size_t axis) const { return known() ? opposite(high[axis]) : '\0'; }

Anatomy::End Anatomy::find(char letter) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (high[axis] == letter || low(axis) == letter) {
            return {axis, high[axis] == letter ? 1 : -1};
        }
    }
    return {};
}

Anatomy anatomyOf(const base::Geometry& geometry) {
    Anatomy anatomy;
    std::array<bool, 3> taken{false, false, false};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::size_t world = 0;
        for (std::size_t row = 1; row < 3; ++row) {
            if (std::abs(geometry.direction[3 * row + axis]) >
                std::abs(geometry.direction[3 * world + axis])) {
                world = row;
            }
        }
        if (taken[world]) {
            return {};
        }
        taken[world] = true;
        anatomy.high[axis] = geometry.direction[3 * world + axis] > 0 ? kHigh[world] : kLow[world];
    }
    return anatomy;
}

} // namespace flcc::viz
