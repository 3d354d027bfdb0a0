#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// The tiles that cover a map of any `--extent`. Placements inside the scene come first, in the
/// tiles of the `valid` map, so that their scores have the bits of that map. The tiles of the
/// border follow.
class MapGrid {
  public:
    /// A box of the map, cut into tiles.
    struct Part {
        base::Box box;
        TileGrid grid;

        Part(const base::Box& all, const base::Extents& tile) : box(all), grid(all.extents, tile) {}
    };

    /// Placements of a tile of the border, given the extents of its part of the map.
    using RimTile = std::function<base::Extents(const base::Extents&)>;

    /// `whole`: one grid covers the whole map, for problems whose tiles are all general. Without
    /// `rim` the tiles of the border are as large as those inside.
    MapGrid(const method::Problem& problem, const base::Extents& tile, bool whole,
            const RimTile& rim = {})
        : m_inner(innerOf(problem, whole), tile) {
        const base::Extents map = method::mapExtents(problem);
        const base::Box& in = m_inner.box;
        const auto add = [&](const base::Index& from, const base::Index& to) {
            const base::Extents extents{to.x - from.x, to.y - from.y, to.z - from.z};
            if (extents.x > 0 && extents.y > 0 && extents.z > 0) {
                m_frame.emplace_back(base::Box{from, extents}, rim ? rim(extents) : tile);
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

    /// The part of the placements inside the scene; with `whole` the whole map.
    [[nodiscard]] const Part& inner() const { return m_inner; }
    /// The rest of the map: at most two parts for each axis.
    [[nodiscard]] const std::vector<Part>& frame() const { return m_frame; }

    [[nodiscard]] std::int64_t count() const {
        std::int64_t count = m_inner.grid.count();
        for (const Part& part : m_frame) {
            count += part.grid.count();
        }
        return count;
    }
    /// The box of map voxels of a tile; tiles inside the scene come first.
    [[nodiscard]] base::Box box(std::int64_t tile) const {
        const Part* part = &m_inner;
        for (std::size_t next = 0; tile >= part->grid.count(); ++next) {
            tile -= part->grid.count();
            part = &m_frame[next];
        }
        return moved(part->grid.box(tile), part->box.corner);
    }

    /// `box`, which is one of this map, in coordinates of the `valid` map.
    [[nodiscard]] base::Box inValid(const base::Box& box) const {
        const base::Index& corner = m_inner.box.corner;
        return moved(box, {-corner.x, -corner.y, -corner.z});
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

    Part m_inner;
    std::vector<Part> m_frame;
};

} // namespace flcc::cpu
