#include "viz/slice/box_drag.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "viz/pixels/grey_pixels.h"
#include "viz/pixels/map_pixels.h"

namespace flcc::viz::detail {
namespace {

/// Rounds to the nearest voxel; halves go up, so that no voxel is hit twice.
std::int64_t nearest(double value) { return static_cast<std::int64_t>(std::floor(value + 0.5)); }

base::Box boxOf(const std::array<std::int64_t, 3>& corner,
                const std::array<std::int64_t, 3>& size) {
    return {{corner[0], corner[1], corner[2]}, {size[0], size[1], size[2]}};
}

} // namespace

BoxPart boxPartAt(const SlicePlane& plane, const base::Box& box, DisplayPoint display,
                  double tolerance) {
    const std::array<double, 4> e = plane.edges(box);
    const double reach = tolerance;
    if (display.x < e[0] - reach || display.x > e[2] + reach || display.y < e[1] - reach ||
        display.y > e[3] + reach) {
        return BoxPart::None;
    }
    // -1, 0, 1: at the first edge, between, at the last one. In a box smaller than the reach the
    // nearer edge counts.
    const auto side = [reach](double at, double first, double last) {
        const bool nearFirst = std::abs(at - first) <= reach;
        const bool nearLast = std::abs(at - last) <= reach;
        if (nearFirst && (!nearLast || std::abs(at - first) < std::abs(at - last))) {
            return -1;
        }
        return nearLast ? 1 : 0;
    };
    constexpr BoxPart kParts[3][3] = {{BoxPart::TopLeft, BoxPart::Top, BoxPart::TopRight},
                                      {BoxPart::Left, BoxPart::Inside, BoxPart::Right},
                                      {BoxPart::BottomLeft, BoxPart::Bottom, BoxPart::BottomRight}};
    return kParts[side(display.y, e[1], e[3]) + 1][side(display.x, e[0], e[2]) + 1];
}

base::Box draggedBox(const SlicePlane& plane, const base::Box& start, BoxPart part,
                     const base::Point& from, const base::Point& to) {
    const PlaneAxes& axes = plane.axes;
    const auto count = byAxis(plane.extents);
    auto corner = byAxis(start.corner);
    auto size = byAxis(start.extents);
    // An edge that is dragged beyond the opposite one goes on from there.
    const auto moveEdge = [&](std::size_t axis, std::int64_t moving, std::int64_t fixed) {
        const auto moved =
            std::clamp<std::int64_t>(moving + nearest(to[axis] - from[axis]), 0, count[axis] - 1);
        corner[axis] = std::min(moved, fixed);
        size[axis] = std::max(moved, fixed) - corner[axis] + 1;
    };
    const auto moveFirst = [&](std::size_t axis) {
        moveEdge(axis, corner[axis], corner[axis] + size[axis] - 1);
    };
    const auto moveLast = [&](std::size_t axis) {
        moveEdge(axis, corner[axis] + size[axis] - 1, corner[axis]);
    };
    switch (part) {
    case BoxPart::None:
        return start;
    case BoxPart::Inside:
        for (const std::size_t axis : {axes.right, axes.down}) {
            corner[axis] =
                std::clamp<std::int64_t>(corner[axis] + nearest(to[axis] - from[axis]), 0,
                                         std::max<std::int64_t>(count[axis] - size[axis], 0));
        }
        return boxOf(corner, size);
    default:
        break;
    }
    bool left = part == BoxPart::Left || part == BoxPart::TopLeft || part == BoxPart::BottomLeft;
    bool right =
        part == BoxPart::Right || part == BoxPart::TopRight || part == BoxPart::BottomRight;
    bool top = part == BoxPart::Top || part == BoxPart::TopLeft || part == BoxPart::TopRight;
    bool bottom =
        part == BoxPart::Bottom || part == BoxPart::BottomLeft || part == BoxPart::BottomRight;
    if (plane.view.flips()[0]) { // the left edge on the screen is the high end of the axis
        std::swap(left, right);
    }
    if (plane.view.flips()[1]) {
        std::swap(top, bottom);
    }
    if (left) {
        moveFirst(axes.right);
    }
    if (right) {
        moveLast(axes.right);
    }
    if (top) {
        moveFirst(axes.down);
    }
    if (bottom) {
        moveLast(axes.down);
    }
    return boxOf(corner, size);
}

base::Box spannedBox(const SlicePlane& plane, const base::Point& from, const base::Point& to,
                     std::int64_t depth) {
    const PlaneAxes& axes = plane.axes;
    const auto count = byAxis(plane.extents);
    std::array<std::int64_t, 3> corner{0, 0, 0};
    std::array<std::int64_t, 3> size{1, 1, 1};
    for (const std::size_t axis : {axes.right, axes.down}) {
        const auto inside = [&](double value) {
            return std::clamp<std::int64_t>(nearest(value), 0, count[axis] - 1);
        };
        corner[axis] = std::min(inside(from[axis]), inside(to[axis]));
        size[axis] = std::max(inside(from[axis]), inside(to[axis])) - corner[axis] + 1;
    }
    size[axes.depth] = std::clamp<std::int64_t>(depth, 1, count[axes.depth]);
    corner[axes.depth] = std::clamp<std::int64_t>(plane.slice - (size[axes.depth] - 1) / 2, 0,
                                                  count[axes.depth] - size[axes.depth]);
    return boxOf(corner, size);
}

} // namespace flcc::viz::detail
