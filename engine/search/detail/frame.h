#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/search/detail/prepared_bank.h"

namespace flcc::search::detail {

/// The corners of the members' box at which all pixels of a member that count lie in the scene, in
/// a frame: `left` to `right` and `top` to `bottom`, these too.
struct Corners {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = -1;
    std::int64_t bottom = -1;

    [[nodiscard]] bool isEmpty() const { return left > right || top > bottom; }
    [[nodiscard]] bool holds(std::int64_t x, std::int64_t y) const {
        return x >= left && x <= right && y >= top && y <= bottom;
    }
    /// Whether a corner lies in this cell of corners.
    [[nodiscard]] bool touchesCell(std::int64_t x, std::int64_t y, std::int64_t edge) const {
        return !isEmpty() && x * edge <= right && (x + 1) * edge > left && y * edge <= bottom &&
               (y + 1) * edge > top;
    }
    /// The least ones that hold both.
    [[nodiscard]] Corners with(const Corners& other) const;
};

/// A scene with a border, in which the box of all members has room wherever one of them lies in the
/// scene. All places of a search are those of the frame.
struct Frame {
    base::Extents inner;   ///< of the scene
    base::Extents extents; ///< with its border
    base::Index before;    ///< from the first pixel of the frame to that of the scene

    [[nodiscard]] Corners cornersOf(const base::Box& reach) const;
};
[[nodiscard]] Frame frameOf(const std::vector<const Prepared*>& parts, const base::Extents& scene);

/// The scene with its border. What lies there never counts, so that limits hold whatever it is:
/// the nearest pixel of the scene leaves flat parts flat.
[[nodiscard]] base::AnyImage framed(const base::AnyView& scene, const Frame& frame);

} // namespace flcc::search::detail
