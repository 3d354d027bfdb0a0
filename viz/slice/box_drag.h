#pragma once

#include "viz/slice/slice_plane.h"

// The template box under the mouse.

namespace flcc::viz::detail {

/// The part of the box at a position; edges are hit within `tolerance` device pixels.
[[nodiscard]] BoxPart boxPartAt(const SlicePlane& plane, const base::Box& box, DisplayPoint display,
                                double tolerance);
/// See SliceScene::draggedBox().
[[nodiscard]] base::Box draggedBox(const SlicePlane& plane, const base::Box& start, BoxPart part,
                                   const base::Point& from, const base::Point& to);
/// See SliceScene::spannedBox().
[[nodiscard]] base::Box spannedBox(const SlicePlane& plane, const base::Point& from,
                                   const base::Point& to, std::int64_t depth);

} // namespace flcc::viz::detail
