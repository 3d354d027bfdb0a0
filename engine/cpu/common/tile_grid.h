#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/extents.h"

namespace flcc::cpu {

[[nodiscard]] constexpr std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

/// The tiles that cover a map: boxes of equal extents; the last along each axis may be shorter.
class TileGrid {
  public:
    TileGrid(const base::Extents& map, const base::Extents& tile)
        : m_map(map),
          m_tile(tile), m_count{(map.x + tile.x - 1) / tile.x, (map.y + tile.y - 1) / tile.y,
                                (map.z + tile.z - 1) / tile.z} {}

    [[nodiscard]] std::int64_t count() const { return m_count.x * m_count.y * m_count.z; }

    /// The box of map voxels of a tile. Tiles are numbered x fastest.
    [[nodiscard]] base::Box box(std::int64_t tile) const {
        const base::Index at{tile % m_count.x, tile / m_count.x % m_count.y,
                             tile / (m_count.x * m_count.y)};
        const base::Index corner{at.x * m_tile.x, at.y * m_tile.y, at.z * m_tile.z};
        return {corner,
                {std::min(m_tile.x, m_map.x - corner.x), std::min(m_tile.y, m_map.y - corner.y),
                 std::min(m_tile.z, m_map.z - corner.z)}};
    }

  private:
    base::Extents m_map;
    base::Extents m_tile;
    base::Extents m_count;
};

/// The scene voxels under the placements `out` of a template of extents `m`.
[[nodiscard]] inline base::Box footprint(const base::Box& out, const base::Extents& m) {
    return {out.corner,
            {out.extents.x + m.x - 1, out.extents.y + m.y - 1, out.extents.z + m.z - 1}};
}

/// The smallest box that holds all `tiles`, of which there is at least one.
[[nodiscard]] inline base::Box boxAround(const std::vector<base::Box>& tiles) {
    base::Index from = tiles.front().corner;
    base::Index to = from;
    for (const base::Box& tile : tiles) {
        const base::Index& at = tile.corner;
        from = {std::min(from.x, at.x), std::min(from.y, at.y), std::min(from.z, at.z)};
        to = {std::max(to.x, at.x + tile.extents.x), std::max(to.y, at.y + tile.extents.y),
              std::max(to.z, at.z + tile.extents.z)};
    }
    return {from, {to.x - from.x, to.y - from.y, to.z - from.z}};
}

} // namespace flcc::cpu
