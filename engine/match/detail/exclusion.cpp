#include "engine/match/detail/exclusion.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace flcc::match::detail {

Exclusion::Exclusion(const base::Extents& map, const base::Extents& templ,
                     std::optional<double> minDistance)
    : m_templ(templ), m_minDistance(minDistance) {
    const auto cell = [&](std::int64_t mapExtent, std::int64_t templExtent) {
        const double reach =
            minDistance ? std::ceil(*minDistance) : static_cast<double>(templExtent / 2);
        const double clamped = std::clamp(reach, 1.0, static_cast<double>(mapExtent));
        return static_cast<std::int64_t>(clamped);
    };
    m_cell = {cell(map.x, templ.x), cell(map.y, templ.y), cell(map.z, templ.z)};
    m_cells = {map.x / m_cell.x + 3, map.y / m_cell.y + 3, map.z / m_cell.z + 3};
}

void Exclusion::add(const base::Index& corner) {
    m_places[keyOf(cellOf(corner))].push_back(corner);
}

bool Exclusion::covers(const base::Index& corner) const {
    const base::Index cell = cellOf(corner);
    for (std::int64_t z = cell.z - 1; z <= cell.z + 1; ++z) {
        for (std::int64_t y = cell.y - 1; y <= cell.y + 1; ++y) {
            for (std::int64_t x = cell.x - 1; x <= cell.x + 1; ++x) {
                const auto found = m_places.find(keyOf({x, y, z}));
                if (found != m_places.end() &&
                    std::any_of(found->second.begin(), found->second.end(),
                                [&](const base::Index& place) { return tooNear(place, corner); })) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool Exclusion::tooNear(const base::Index& a, const base::Index& b) const {
    const std::int64_t dx = std::abs(a.x - b.x);
    const std::int64_t dy = std::abs(a.y - b.y);
    const std::int64_t dz = std::abs(a.z - b.z);
    if (!m_minDistance) {
        return 2 * dx <= m_templ.x && 2 * dy <= m_templ.y && 2 * dz <= m_templ.z;
    }
    // Exact while the squares fit in 53 bits, that is for maps up to 5e7 voxels along an axis.
    const double squared = static_cast<double>(dx) * static_cast<double>(dx) +
                           static_cast<double>(dy) * static_cast<double>(dy) +
                           static_cast<double>(dz) * static_cast<double>(dz);
    return squared < *m_minDistance * *m_minDistance;
}

base::Index Exclusion::cellOf(const base::Index& corner) const {
    return {corner.x / m_cell.x, corner.y / m_cell.y, corner.z / m_cell.z};
}

std::int64_t Exclusion::keyOf(const base::Index& cell) const {
    return ((cell.z + 1) * m_cells.y + cell.y + 1) * m_cells.x + cell.x + 1;
}

} // namespace flcc::match::detail
