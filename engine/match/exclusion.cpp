#include "engine/match/exclusion.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace flcc::match {

namespace {

std::array<std::int64_t, 3> centreOf(const base::Index& corner, const base::Extents& templ) {
    return {2 * corner.x + templ.x - 1, 2 * corner.y + templ.y - 1, 2 * corner.z + templ.z - 1};
}

} // namespace

Exclusion::Exclusion(const base::Extents& largest, std::optional<double> minDistance,
                     const base::Point& edges)
    : m_minDistance(minDistance), m_edges(edges) {
    // Further than any two places of an image are apart.
    constexpr double kFarthest = 1LL << 40;
    const auto cell = [&](std::int64_t extent, double edge) {
        return minDistance ? 2 * static_cast<std::int64_t>(
                                     std::clamp(std::ceil(*minDistance / edge), 1.0, kFarthest))
                           : std::max<std::int64_t>(extent, 2);
    };
    m_cell = {cell(largest.x, edges[0]), cell(largest.y, edges[1]), cell(largest.z, edges[2])};
}

void Exclusion::add(const base::Index& corner, const base::Extents& box,
                    const std::optional<Turned>& turned) {
    Place place{centreOf(corner, box), box};
    if (turned) {
        place.templ = turned->templ;
        place.back = rotation::inverse(turned->matrix);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t at = place.centre[axis];
        m_low[axis] = m_places.empty() ? at : std::min(m_low[axis], at);
        m_high[axis] = m_places.empty() ? at : std::max(m_high[axis], at);
    }
    m_places[cellOf(place.centre)].push_back(place);
}

bool Exclusion::covers(const base::Index& corner, const base::Extents& box) const {
    const Centre centre = centreOf(corner, box);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (centre[axis] < m_low[axis] - m_cell[axis] ||
            centre[axis] > m_high[axis] + m_cell[axis]) {
            return false;
        }
    }
    const Cell cell = cellOf(centre);
    for (std::int64_t z = cell[2] - 1; z <= cell[2] + 1; ++z) {
        for (std::int64_t y = cell[1] - 1; y <= cell[1] + 1; ++y) {
            for (std::int64_t x = cell[0] - 1; x <= cell[0] + 1; ++x) {
                const auto found = m_places.find({x, y, z});
                if (found != m_places.end() &&
                    std::any_of(found->second.begin(), found->second.end(),
                                [&](const Place& place) { return tooNear(place, centre); })) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool Exclusion::tooNear(const Place& higher, const Centre& lower) const {
    const std::int64_t dx = std::abs(higher.centre[0] - lower[0]);
    const std::int64_t dy = std::abs(higher.centre[1] - lower[1]);
    const std::int64_t dz = std::abs(higher.centre[2] - lower[2]);
    if (!m_minDistance && higher.back) {
        const rotation::Matrix& m = *higher.back;
        const std::array<double, 3> lengths{static_cast<double>(higher.templ.x),
                                            static_cast<double>(higher.templ.y),
                                            static_cast<double>(higher.templ.z)};
        constexpr double kRounding = 1e-9; // as far as the matrix may be off
        bool near = true;
        for (std::size_t row = 0; row < 3; ++row) {
            double own = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                own += m[3 * row + axis] * static_cast<double>(lower[axis] - higher.centre[axis]);
            }
            near = near && std::abs(own) <= lengths[row] * (1 + kRounding);
        }
        return near;
    }
    if (!m_minDistance) {
        return dx <= higher.templ.x && dy <= higher.templ.y && dz <= higher.templ.z;
    }
    // With edges of 1 exact while the squares fit in 53 bits, that is for maps up to 2e7 voxels
    // along an axis.
    const double x = static_cast<double>(dx) * m_edges[0];
    const double y = static_cast<double>(dy) * m_edges[1];
    const double z = static_cast<double>(dz) * m_edges[2];
    const double squared = x * x + y * y + z * z;
    return squared < 4 * *m_minDistance * *m_minDistance;
}

Exclusion::Cell Exclusion::cellOf(const Centre& centre) const {
    const auto floored = [](std::int64_t value, std::int64_t by) {
        return value >= 0 ? value / by : -((by - 1 - value) / by);
    };
    return {floored(centre[0], m_cell[0]), floored(centre[1], m_cell[1]),
            floored(centre[2], m_cell[2])};
}

} // namespace flcc::match
