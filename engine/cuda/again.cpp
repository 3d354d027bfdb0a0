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
    : m_part(part.extents()),
      m_unit(rule.unit), m_grid{ceilDivide(m_part.x, m_unit.x), ceilDivide(m_part.y, m_unit.y),
                                ceilDivide(m_part.z, m_unit.z)} {
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

/// Whether one of them has a voxel of a box of the part.
bool AgainUnits::meet(const Box& box) const {
    const auto next = [](std::int64_t at, std::int64_t unit) { return (at / unit + 1) * unit; };
    const Index end{box.corner.x + box.extents.x, box.corner.y + box.extents.y,
                    box.corner.z + box.extents.z};
    for (std::int64_t z = box.corner.z; z < end.z; z = next(z, m_unit.z)) {
        for (std::int64_t y = box.corner.y; y < end.y; y = next(y, m_unit.y)) {
            for (std::int64_t x = box.corner.x; x < end.x; x = next(x, m_unit.x)) {
                if (hold({x, y, z})) {
                    return true;
                }
            }
        }
    }
    return false;
}

std::vector<Box> AgainUnits::pieces(const AgainRule& rule, const Index& corner) const {
    // Parts begin where units do.
    const Extents together{std::max(rule.part.x, m_unit.x), std::max(rule.part.y, m_unit.y),
                           std::max(rule.part.z, m_unit.z)};
    std::vector<Box> pieces;
    for (const Box& all : mapParts(m_part, together)) {
        if (!meet(all)) {
            continue;
        }
        for (const Box& one : mapParts(all.extents, rule.part)) {
            pieces.push_back(
                {{corner.x + all.corner.x + one.corner.x, corner.y + all.corner.y + one.corner.y,
                  corner.z + all.corner.z + one.corner.z},
                 one.extents});
        }
    }
    return pieces;
}

} // namespace flcc::cuda
