#include "viz/slice/slice_plane.h"

#include <algorithm>
#include <cmath>

#include "viz/pixels/grey_pixels.h"
#include "viz/pixels/map_pixels.h"
#include "viz/pixels/turned_box.h"

namespace flcc::viz::detail {

std::array<double, 4> SlicePlane::edges(const base::Point& centre,
                                        const std::array<double, 3>& size) const {
    const std::array<double, 2> middle = inPlane(centre);
    const std::array<double, 2> half{size[axes.right] / 2, size[axes.down] / 2};
    const DisplayPoint first = view.toDisplay({middle[0] - half[0], middle[1] - half[1]});
    const DisplayPoint last = view.toDisplay({middle[0] + half[0], middle[1] + half[1]});
    const auto [left, right] = std::minmax(first.x, last.x); // the view may be mirrored
    const auto [top, bottom] = std::minmax(first.y, last.y);
    return {left + 0.5, top + 0.5, right + 0.5, bottom + 0.5};
}

std::array<double, 4> SlicePlane::edges(const base::Box& b) const {
    const auto corner = byAxis(b.corner);
    const auto size = byAxis(b.extents);
    base::Point centre{0, 0, 0};
    std::array<double, 3> length{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        length[axis] = static_cast<double>(size[axis]);
        centre[axis] = static_cast<double>(corner[axis]) + (length[axis] - 1) / 2;
    }
    return edges(centre, length);
}

bool SlicePlane::crosses(const base::Box& b) const {
    const std::int64_t first = byAxis(b.corner)[axes.depth];
    return slice >= first && slice < first + byAxis(b.extents)[axes.depth];
}

bool SlicePlane::crosses(const PeakMark& peak) const {
    return std::abs(static_cast<double>(slice) - peak.centre[axes.depth]) <=
           TurnedBox(peak).reach(axes.depth);
}

std::array<double, 3> sizeOf(const PeakMark& peak) {
    const TurnedBox box(peak);
    return {2 * box.reach(0), 2 * box.reach(1), 2 * box.reach(2)};
}

} // namespace flcc::viz::detail
