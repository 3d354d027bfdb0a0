#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/cpu/tile_grid.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// The tiles that cover a map of any extent. Placements inside the scene come first, in the tiles
/// of the `valid` map, so that their scores have its bits; the frame around them follows, a tile at
/// a time.
class MapGrid {
  public:
    /// `whole`: one grid over all, for where every tile goes the same way.
    MapGrid(const method::Problem& problem, const base::Extents& tile, bool whole)
        : m_inner(innerOf(problem, whole)), m_grid(m_inner.extents, tile) {
        const base::Extents map = method::mapExtents(problem);
        const base::Box& in = m_inner;
        const auto add = [&](const base::Index& from, const base::Index& to) {
            const base::Box slab{from, {to.x - from.x, to.y - from.y, to.z - from.z}};
            if (slab.extents.x < 1 || slab.extents.y < 1 || slab.extents.z < 1) {
                return;
            }
            const TileGrid grid(slab.extents, tile);
            for (std::int64_t i = 0; i < grid.count(); ++i) {
                m_frame.push_back(moved(grid.box(i), slab.corner));
            }
        };
        const base::Index end{in.corner.x + in.extents.x, in.corner.y + in.extents.y,
                              in.corner.z + in.extents.z};
        add({0, 0, 0}, {map.x, map.y, in.corner.z});
        add({0, 0, end.z}, {map.x, map.y, map.z});
        add({0, 0, in.corner.z}, {map.x, in.corner.y, end.z});
        add({0, end.y, in.corner.z}, {map.x, map.y, end.z});
        add({0, in.corner.y, in.corner.z}, {in.corner.x, end.y, end.z});
        add({end.x, in.corner.y, in.corner.z}, {map.x, end.y, end.z});
    }

    /// The placements inside the scene, in map voxels.
    [[nodiscard]] const base::Box& inner() const { return m_inner; }
    [[nodiscard]] std::int64_t innerCount() const { return m_grid.count(); }
    /// The tiles of the frame.
    [[nodiscard]] const std::vector<base::Box>& frame() const { return m_frame; }
    [[nodiscard]] std::int64_t count() const {
        return m_grid.count() + static_cast<std::int64_t>(m_frame.size());
    }

    [[nodiscard]] std::int64_t items(std::int64_t together) const {
        return m_grid.items(together) + static_cast<std::int64_t>(m_frame.size());
    }
    [[nodiscard]] std::vector<base::Box> boxes(std::int64_t item, std::int64_t together) const {
        const std::int64_t inner = m_grid.items(together);
        if (item >= inner) {
            return {m_frame[static_cast<std::size_t>(item - inner)]};
        }
        std::vector<base::Box> boxes = m_grid.boxes(item, together);
        for (base::Box& box : boxes) {
            box = moved(box, m_inner.corner);
        }
        return boxes;
    }

    /// `box` in voxels of the `valid` map.
    [[nodiscard]] base::Box inValid(const base::Box& box) const {
        return moved(box, {-m_inner.corner.x, -m_inner.corner.y, -m_inner.corner.z});
    }

  private:
    static base::Box innerOf(const method::Problem& problem, bool whole) {
        if (whole) {
            return {{0, 0, 0}, method::mapExtents(problem)};
        }
        const base::Index first = method::firstPlacement(problem);
        return {{-first.x, -first.y, -first.z}, base::validExtents(problem.scene, problem.templ)};
    }
    static base::Box moved(const base::Box& box, const base::Index& by) {
        return {{box.corner.x + by.x, box.corner.y + by.y, box.corner.z + by.z}, box.extents};
    }

    base::Box m_inner;
    TileGrid m_grid;
    std::vector<base::Box> m_frame;
};

} // namespace flcc::cpu
