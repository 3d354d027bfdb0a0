#include "engine/cuda/again.h"

#include <algorithm>
#include <limits>

#include "engine/cuda/map_parts.h"
#include "engine/cuda/part_queue.h"
#include "engine/method/canonical_cost.h"

namespace flcc::cuda {

using base::Box;
using base::Extents;
using base::Index;
using method::shared::ceilDivide;

namespace {

/// Units that a part has along each axis.
Extents gridOf(const Extents& part, const Extents& unit) {
    return {ceilDivide(part.x, unit.x), ceilDivide(part.y, unit.y), ceilDivide(part.z, unit.z)};
}

/// Makes `box` hold others too, where that adds no more units than they would cost apart.
bool join(Box& box, const std::vector<Box>& others, std::int64_t filling) {
    Index begin = box.corner;
    Index end{begin.x + box.extents.x, begin.y + box.extents.y, begin.z + box.extents.z};
    std::int64_t units = base::voxelCount(box.extents);
    for (const Box& other : others) {
        const Index& at = other.corner;
        const Extents& own = other.extents;
        begin = {std::min(begin.x, at.x), std::min(begin.y, at.y), std::min(begin.z, at.z)};
        end = {std::max(end.x, at.x + own.x), std::max(end.y, at.y + own.y),
               std::max(end.z, at.z + own.z)};
        units += base::voxelCount(own);
    }
    const Extents all{end.x - begin.x, end.y - begin.y, end.z - begin.z};
    if (base::voxelCount(all) - units > filling * std::ssize(others)) {
        return false;
    }
    box = {begin, all};
    return true;
}

} // namespace

std::int64_t mostByVoxels(const method::Problem& problem, const Extents& unit, double kernelNs) {
    // Not those of the pool, so that no bit depends on them; a few for each GPU of a host.
    constexpr double kThreads = 8;
    // Copies of a placement's voxel, score and status, and taking them in.
    constexpr double kPlacementNs = 2;
    // Buffers, plans and the template, of which each unit of the map bears its share.
    constexpr double kStartNs = 1e6;
    const auto units = static_cast<double>(PartQueue::count(method::mapExtents(problem), unit));
    const double ns =
        kernelNs + kPlacementNs * static_cast<double>(base::voxelCount(unit)) + kStartNs / units;
    return static_cast<std::int64_t>(
        std::min(ns * kThreads / method::canonicalNs(base::voxelCount(problem.templ)), 0x1p62));
}

bool mayHoldUnits(const AgainRule& rule, const BlockTally* told, const Extents& part) {
    using method::shared::kBlockHeight;
    using method::shared::kBlockWidth;
    const Extents grid = method::shared::blockGrid(part);
    std::int64_t all = 0;
    for (std::int64_t i = 0; i < base::voxelCount(grid); ++i) {
        all += told[i].lowConf;
    }
    if (all <= rule.most) {
        return false; // nearly always
    }
    const std::vector<Box> units = mapParts(part, rule.unit);
    return std::any_of(units.begin(), units.end(), [&](const Box& unit) {
        const Index& at = unit.corner;
        std::int64_t low = 0;
        for (std::int64_t z = at.z; z < at.z + unit.extents.z; ++z) {
            for (std::int64_t y = at.y / kBlockHeight; y * kBlockHeight < at.y + unit.extents.y;
                 ++y) {
                for (std::int64_t x = at.x / kBlockWidth; x * kBlockWidth < at.x + unit.extents.x;
                     ++x) {
                    low += told[(z * grid.y + y) * grid.x + x].lowConf;
                }
            }
        }
        return low > rule.most;
    });
}

AgainUnits::AgainUnits(const AgainRule& rule, const base::View<base::Status>& part,
                       base::TilePool& pool)
    : m_part(part.extents()), m_unit(rule.unit), m_grid(gridOf(m_part, m_unit)) {
    const std::vector<Box> units = mapParts(m_part, m_unit);
    m_held.resize(units.size());
    pool.run(std::ssize(units), [&](std::int64_t item, int) {
        const auto i = static_cast<std::size_t>(item);
        const base::View<base::Status> own = part.part(units[i]);
        const Extents& extents = own.extents();
        std::int64_t low = 0;
        for (std::int64_t line = 0; line < extents.y * extents.z; ++line) {
            const base::Status* const row = own.row(line % extents.y, line / extents.y);
            low += std::count(row, row + extents.x, base::Status::LowConf);
        }
        m_held[i] = low > rule.most ? 1 : 0;
    });
    m_count = std::count(m_held.begin(), m_held.end(), 1);
}

bool AgainUnits::hold(const Index& at) const {
    return any() &&
           m_held[static_cast<std::size_t>(
               ((at.z / m_unit.z) * m_grid.y + at.y / m_unit.y) * m_grid.x + at.x / m_unit.x)] != 0;
}

/// Of a box of the part that begins where a unit does: boxes of whole units, apart from each other,
/// with all that are held.
std::vector<Box> AgainUnits::heldBoxes(const Box& all, std::int64_t filling) const {
    const Index first{all.corner.x / m_unit.x, all.corner.y / m_unit.y, all.corner.z / m_unit.z};
    const Extents count = gridOf(all.extents, m_unit);
    const auto isHeld = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return m_held[static_cast<std::size_t>(((first.z + z) * m_grid.y + first.y + y) * m_grid.x +
                                               first.x + x)] != 0;
    };
    std::vector<Box> boxes; // in units
    bool single = false;    // the last one has its slices for itself
    for (std::int64_t z = 0; z < count.z; ++z) {
        std::vector<Box> rows; // of this slice
        for (std::int64_t y = 0; y < count.y; ++y) {
            std::int64_t begin = 0;
            while (begin < count.x && !isHeld(begin, y, z)) {
                ++begin;
            }
            std::int64_t end = count.x;
            while (end > begin && !isHeld(end - 1, y, z)) {
                --end;
            }
            if (begin < end) {
                const Box row{{begin, y, z}, {end - begin, 1, 1}};
                if (rows.empty() || !join(rows.back(), {row}, filling)) {
                    rows.push_back(row);
                }
            }
        }
        if (rows.empty() || (single && join(boxes.back(), rows, filling))) {
            continue;
        }
        boxes.insert(boxes.end(), rows.begin(), rows.end());
        single = rows.size() == 1;
    }
    for (Box& box : boxes) {
        const Index at{box.corner.x * m_unit.x, box.corner.y * m_unit.y, box.corner.z * m_unit.z};
        box = {{all.corner.x + at.x, all.corner.y + at.y, all.corner.z + at.z},
               {std::min(box.extents.x * m_unit.x, all.extents.x - at.x),
                std::min(box.extents.y * m_unit.y, all.extents.y - at.y),
                std::min(box.extents.z * m_unit.z, all.extents.z - at.z)}};
    }
    return boxes;
}

std::vector<Box> AgainUnits::pieces(const AgainRule& rule, const Index& corner) const {
    // Parts begin where units do.
    const Extents together{std::max(rule.part.x, m_unit.x), std::max(rule.part.y, m_unit.y),
                           std::max(rule.part.z, m_unit.z)};
    std::vector<Box> pieces;
    for (const Box& all : mapParts(m_part, together)) {
        for (const Box& held : heldBoxes(all, rule.filling)) {
            for (const Box& one : mapParts(held.extents, rule.part)) {
                pieces.push_back({{corner.x + held.corner.x + one.corner.x,
                                   corner.y + held.corner.y + one.corner.y,
                                   corner.z + held.corner.z + one.corner.z},
                                  one.extents});
            }
        }
    }
    return pieces;
}

} // namespace flcc::cuda
