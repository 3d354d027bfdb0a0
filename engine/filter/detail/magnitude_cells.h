#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/filter/problem.h"

namespace flcc::filter::detail {

/// Large magnitudes of a scene in a grid of cells, so small that the part of the scene under the
/// kernel of any result holds a whole one of them: the largest of some lines of each cell, which is
/// the largest one, or less. **Cost**: a look at an eighth of the voxels, of small cells a fourth.
class MagnitudeCells {
  public:
    /// Empty where cells are too small to be worth it, and with the full extent, whose results may
    /// have a single voxel of the scene under the kernel.
    MagnitudeCells(const Problem& problem, const base::AnyView& scene, base::TilePool& pool,
                   const std::stop_token& stop)
        : m_cell(cellOf(problem)) {
        if (!isWorth(problem)) {
            return;
        }
        m_largest = base::Image<double>(countOf(problem), 0.0);
        const base::Extents& n = m_largest.extents();
        const bool whole = pool.run(
            n.y * n.z,
            [&](std::int64_t row, int) {
                std::visit([&](const auto& view) { fill(view, row % n.y, row / n.y); }, scene);
            },
            stop);
        if (!whole) {
            m_largest = {};
        }
    }

    /// Memory that the cells of a problem take.
    [[nodiscard]] static std::int64_t bytes(const Problem& problem) {
        return isWorth(problem) ? base::byteCount(countOf(problem), sizeof(double)) : 0;
    }

    /// The least of those magnitudes in cells inside `seen`, at least one of which lies under every
    /// kernel there; 0 if that is not known.
    [[nodiscard]] double least(const base::Box& seen) const {
        if (m_largest.empty()) {
            return 0;
        }
        const Range x = inside(seen.corner.x, seen.extents.x, m_cell.x, m_largest.extents().x);
        const Range y = inside(seen.corner.y, seen.extents.y, m_cell.y, m_largest.extents().y);
        const Range z = inside(seen.corner.z, seen.extents.z, m_cell.z, m_largest.extents().z);
        double found = std::numeric_limits<double>::infinity();
        for (std::int64_t k = z.first; k < z.end; ++k) {
            for (std::int64_t j = y.first; j < y.end; ++j) {
                for (std::int64_t i = x.first; i < x.end; ++i) {
                    found = std::min(found, m_largest.view().at(i, j, k));
                }
            }
        }
        return std::isfinite(found) ? found : 0;
    }

  private:
    struct Range {
        std::int64_t first = 0;
        std::int64_t end = 0;
    };

    /// Half of a kernel lies in the scene, or all of a shorter scene; it holds a whole cell of half
    /// of that.
    static std::int64_t cellOf(std::int64_t scene, std::int64_t kernel) {
        return (std::min(std::max<std::int64_t>(kernel / 2, 1), scene) + 1) / 2;
    }

    static base::Extents cellOf(const Problem& problem) {
        return {cellOf(problem.scene.x, problem.kernel.x),
                cellOf(problem.scene.y, problem.kernel.y),
                cellOf(problem.scene.z, problem.kernel.z)};
    }
    static base::Extents countOf(const Problem& problem) {
        const base::Extents cell = cellOf(problem);
        return {problem.scene.x / cell.x, problem.scene.y / cell.y, problem.scene.z / cell.z};
    }
    static bool isWorth(const Problem& problem) {
        constexpr std::int64_t kLeast = 16;
        return problem.extent != method::Extent::Full &&
               base::voxelCount(cellOf(problem)) >= kLeast;
    }

    /// The cells that lie wholly in `length` voxels from `begin` on.
    static Range inside(std::int64_t begin, std::int64_t length, std::int64_t cell,
                        std::int64_t cells) {
        const std::int64_t first = (std::max<std::int64_t>(begin, 0) + cell - 1) / cell;
        return {first, std::min(cells, std::max<std::int64_t>(begin + length, 0) / cell)};
    }

    template <class Voxel>
    void fill(const base::View<const Voxel>& view, std::int64_t row, std::int64_t slice) {
        using Magnitude = std::conditional_t<std::is_same_v<Voxel, float>, float, double>;
        double* const to = m_largest.view().row(row, slice);
        const std::int64_t count = m_largest.extents().x;
        constexpr std::int64_t kStep = 8;
        for (std::int64_t line = 0; line < m_cell.y * m_cell.z; line += kStep) {
            const Voxel* from =
                view.row(row * m_cell.y + line % m_cell.y, slice * m_cell.z + line / m_cell.y);
            for (std::int64_t i = 0; i < count; ++i, from += m_cell.x) {
                Magnitude largest = 0;
                for (std::int64_t x = 0; x < m_cell.x; ++x) {
                    const auto value = std::abs(static_cast<Magnitude>(from[x]));
                    largest = value > largest ? value : largest;
                }
                to[i] = std::max(to[i], static_cast<double>(largest));
            }
        }
    }

    base::Extents m_cell;
    base::Image<double> m_largest; ///< of lines of whole cells
};

} // namespace flcc::filter::detail
