#include "engine/match/detail/score_tiles.h"

#include <algorithm>
#include <cmath>

namespace flcc::match::detail {

namespace {

constexpr std::int64_t kMostRead = std::int64_t{1} << 22;

/// Starts of about equal parts of at least `edge` voxels, and the end.
std::vector<std::int64_t> startsOf(std::int64_t length, std::int64_t edge) {
    const std::int64_t parts = std::max<std::int64_t>(1, (length + edge / 2) / edge);
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i <= parts; ++i) {
        starts.push_back(i * length / parts);
    }
    return starts;
}

class Reader {
  public:
    Reader(const SearchedMap& map, double origin, bool partial)
        : m_map(map), m_origin(origin), m_partial(partial) {}

    [[nodiscard]] bool at(const base::Index& at, double& value) const {
        const base::Extents& extents = m_map.value.extents();
        if (at.x >= extents.x || at.y >= extents.y || at.z >= extents.z ||
            !countsIn(m_map.status.at(at), m_partial)) {
            return false;
        }
        value = static_cast<double>(m_map.value.at(at));
        return true;
    }

    /// Adds the row of a tile.
    void addRow(std::int64_t y, std::int64_t z, ScoreTile& tile, std::vector<float>* values) const {
        for (std::int64_t x = tile.box.corner.x; x < tile.box.corner.x + tile.box.extents.x; ++x) {
            double here = 0;
            if (!at({x, y, z}, here)) {
                continue;
            }
            const double r = here - m_origin;
            tile.count += 1;
            tile.powers[0] += r;
            tile.powers[1] += r * r;
            tile.powers[2] += r * r * r;
            tile.powers[3] += r * r * r * r;
            if (values != nullptr) {
                values->push_back(static_cast<float>(here));
            }
            const std::array<base::Index, 3> next{{{x + 1, y, z}, {x, y + 1, z}, {x, y, z + 1}}};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                double there = 0;
                if (at(next[axis], there)) {
                    tile.pairs[axis] += 1;
                    tile.differences[axis] += (there - here) * (there - here);
                }
            }
        }
    }

  private:
    const SearchedMap& m_map;
    double m_origin;
    bool m_partial;
};

} // namespace

ScoreTiles scoreTiles(const SearchedMap& map, const base::Extents& templ, double origin,
                      bool partial, bool medians) {
    const base::Extents& extents = map.value.extents();
    const bool volume = extents.z > 1;
    const std::int64_t largest = std::max({templ.x, templ.y, volume ? templ.z : 1});
    const std::int64_t edge =
        volume ? std::max<std::int64_t>(24, 2 * largest) : std::max<std::int64_t>(48, 3 * largest);
    const std::array<std::vector<std::int64_t>, 3> starts{
        startsOf(extents.x, edge), startsOf(extents.y, edge), startsOf(extents.z, edge)};
    const std::int64_t rows = extents.y * extents.z;
    const std::int64_t step =
        std::max<std::int64_t>(1, (rows * extents.x + kMostRead - 1) / kMostRead);
    ScoreTiles all;
    all.share = 1 / static_cast<double>(step);
    all.edges = {starts[0][1], starts[1][1], starts[2][1]};
    const Reader reader(map, origin, partial);
    std::vector<float> values;
    for (std::size_t k = 0; k + 1 < starts[2].size(); ++k) {
        for (std::size_t j = 0; j + 1 < starts[1].size(); ++j) {
            for (std::size_t i = 0; i + 1 < starts[0].size(); ++i) {
                ScoreTile tile{
                    .box = {{starts[0][i], starts[1][j], starts[2][k]},
                            {starts[0][i + 1] - starts[0][i], starts[1][j + 1] - starts[1][j],
                             starts[2][k + 1] - starts[2][k]}}};
                values.clear();
                for (std::int64_t z = starts[2][k]; z < starts[2][k + 1]; ++z) {
                    for (std::int64_t y = starts[1][j]; y < starts[1][j + 1]; ++y) {
                        if ((z * extents.y + y) % step == 0) {
                            reader.addRow(y, z, tile, &values);
                        }
                    }
                }
                tile.placements = tile.count * static_cast<double>(step);
                if (tile.count < ScoreTiles::kLeastInTile) {
                    continue;
                }
                if (medians) {
                    const auto middle = values.begin() + std::ssize(values) / 2;
                    std::ranges::nth_element(values, middle);
                    tile.median = *middle;
                } else {
                    all.values.insert(all.values.end(), values.begin(), values.end());
                }
                all.tiles.push_back(tile);
            }
        }
    }
    return all;
}

} // namespace flcc::match::detail
