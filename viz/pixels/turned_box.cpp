#include "viz/pixels/turned_box.h"

#include <algorithm>
#include <cmath>

#include "viz/pixels/map_pixels.h"

namespace flcc::viz::detail {

TurnedBox::TurnedBox(const PeakMark& peak) : m_centre(peak.centre) {
    const auto size = byAxis(peak.templ);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        m_half[axis] = static_cast<double>(size[axis]) / 2;
    }
    if (peak.turn) {
        m_turn = *peak.turn;
        m_back = rotation::inverse(m_turn);
    }
}

base::Point TurnedBox::placed(const base::Point& offset) const {
    const base::Point way = rotation::apply(m_turn, offset);
    return {m_centre[0] + way[0], m_centre[1] + way[1], m_centre[2] + way[2]};
}

base::Point TurnedBox::offsetOf(const base::Point& point) const {
    return rotation::apply(
        m_back, {point[0] - m_centre[0], point[1] - m_centre[1], point[2] - m_centre[2]});
}

double TurnedBox::reach(std::size_t axis) const {
    double length = 0;
    for (std::size_t column = 0; column < 3; ++column) {
        length += std::abs(m_turn[3 * axis + column]) * m_half[column];
    }
    return length;
}

bool TurnedBox::contains(const base::Point& point, double slack) const {
    const base::Point offset = offsetOf(point);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double more = // of the template, in the direction of its axis
            slack * std::hypot(m_back[3 * axis], m_back[3 * axis + 1], m_back[3 * axis + 2]);
        if (std::abs(offset[axis]) > m_half[axis] + more) {
            return false;
        }
    }
    return true;
}

std::array<base::Point, 8> TurnedBox::corners() const {
    std::array<base::Point, 8> corners{};
    for (std::size_t corner = 0; corner < 8; ++corner) {
        base::Point offset{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            offset[axis] = ((corner >> axis) & 1U) != 0 ? m_half[axis] : -m_half[axis];
        }
        corners[corner] = placed(offset);
    }
    return corners;
}

std::vector<base::Point> TurnedBox::crossSection(std::size_t axis, double at) const {
    const std::array<base::Point, 8> ends = corners();
    std::vector<base::Point> points;
    eachEdge([&](std::size_t from, std::size_t to) {
        const double before = ends[from][axis] - at;
        const double after = ends[to][axis] - at;
        if ((before < 0) == (after < 0)) {
            return;
        }
        const double share = before / (before - after);
        base::Point& point = points.emplace_back(ends[from]);
        for (std::size_t i = 0; i < 3; ++i) {
            point[i] += share * (ends[to][i] - ends[from][i]);
        }
    });
    // It is convex: around its middle by angle.
    const std::size_t right = (axis + 1) % 3;
    const std::size_t down = (axis + 2) % 3;
    base::Point middle{};
    for (const base::Point& point : points) {
        middle[right] += point[right] / static_cast<double>(points.size());
        middle[down] += point[down] / static_cast<double>(points.size());
    }
    const auto angle = [&](const base::Point& point) {
        return std::atan2(point[down] - middle[down], point[right] - middle[right]);
    };
    std::ranges::sort(points, [&](const auto& a, const auto& b) { return angle(a) < angle(b); });
    return points;
}

} // namespace flcc::viz::detail
