#include "viz/pixels/map_pixels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "viz/pixels/grey_pixels.h"

namespace flcc::viz::detail {
namespace {

constexpr std::uint8_t kHatched = 128;

} // namespace

ColourTable colourTable(match::ColourMap map, bool reversed) {
    ColourTable table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = match::colourAt(map, static_cast<double>(reversed ? 255 - i : i) / 255.0);
    }
    return table;
}

void ShownMap::set(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                   bool finished, const base::Index& corner) {
    m_map = std::move(map);
    m_pyramid.reset();
    m_finished = finished;
    m_regions.clear();
    const auto m = byAxis(templ);
    const auto first = byAxis(corner);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        m_offset[axis] = static_cast<double>(first[axis]) + static_cast<double>(m[axis] - 1) / 2;
    }
}

void ShownMap::addRegion(const base::Box& region) { m_regions.push_back(region); }

std::array<double, 2> ShownMap::reach(const base::Extents& scene, std::size_t axis) const {
    const double first = -0.5;
    const double last = static_cast<double>(byAxis(scene)[axis]) - 0.5;
    if (!exists()) {
        return {first, last};
    }
    const double low = m_offset[axis] - 0.5;
    const double high = low + static_cast<double>(byAxis(extents())[axis]);
    return {low < first - 0.5 ? low : first, high > last + 0.5 ? high : last};
}

std::int64_t ShownMap::sliceAt(std::int64_t sceneSlice, std::size_t axis) const {
    return static_cast<std::int64_t>(
        std::floor(static_cast<double>(sceneSlice) - m_offset[axis] + 0.5));
}

namespace {

/// The part of each region that lies in a rectangle of a plane.
template <class Use>
void inRegions(const std::vector<base::Box>& regions, const PlaneAxes& axes, std::int64_t slice,
               const TexelRect& rect, const Use& use) {
    for (const base::Box& region : regions) {
        const auto corner = byAxis(region.corner);
        const auto size = byAxis(region.extents);
        if (slice < corner[axes.depth] || slice >= corner[axes.depth] + size[axes.depth]) {
            continue;
        }
        const TexelRect part = common(rect, {corner[axes.right], corner[axes.down],
                                             corner[axes.right] + size[axes.right],
                                             corner[axes.down] + size[axes.down]});
        if (!part.empty()) {
            use(part);
        }
    }
}

/// Where each texel ends, with those of the texels before.
std::vector<std::int64_t> endsOf(const TexelAxis& axis, std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> ends;
    for (std::int64_t texel = first; texel <= last; ++texel) {
        ends.push_back(axis.firstVoxel(texel));
    }
    return ends;
}

/// Merges voxels, every `step`-th, into the texels of a rectangle.
struct Merging {
    Merging(const TexelGrid& grid, const TexelRect& rect, std::int64_t every,
            std::vector<ScoreCell>& into)
        : columns(endsOf(grid.right, rect.left, rect.right)),
          rows(endsOf(grid.down, rect.top, rect.bottom)), step(every), cells(into) {}

    std::vector<std::int64_t> columns;
    std::vector<std::int64_t> rows;
    std::int64_t step;
    std::vector<ScoreCell>& cells;

    /// The voxels of `part`: cellAt(rowOf(y), x).
    template <class Row, class At, class Better>
    void merge(const TexelRect& part, const Row& rowOf, const At& cellAt,
               const Better& better) const {
        const std::size_t width = columns.size() - 1;
        const auto first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(
            std::ranges::upper_bound(columns, part.left) - columns.begin() - 1, 0));
        for (std::size_t j = 0; j + 1 < rows.size(); ++j) {
            const std::int64_t bottom = std::min(rows[j + 1], part.bottom);
            for (std::int64_t y = std::max(rows[j], part.top); y < bottom; y += step) {
                const auto row = rowOf(y);
                ScoreCell* const out = cells.data() + j * width;
                for (std::size_t i = first; i < width && columns[i] < part.right; ++i) {
                    ScoreCell cell = out[i];
                    const std::int64_t right = std::min(columns[i + 1], part.right);
                    for (std::int64_t x = std::max(columns[i], part.left); x < right; x += step) {
                        cell.merge(cellAt(row, x), better);
                    }
                    out[i] = cell;
                }
            }
        }
    }
};

} // namespace

/// One texel a voxel.
void ShownMap::voxels(const PlaneAxes& axes, std::int64_t slice, const match::HeatmapScale& scale,
                      const ColourTable& colours, const TexelRect& rect, std::uint8_t* out,
                      std::int64_t rowBytes) const {
    const auto values = m_map->value.view();
    const auto states = m_map->status.view();
    const std::array<std::int64_t, 3> strides{1, values.rowStride(), values.sliceStride()};
    const auto low = static_cast<float>(scale.low);
    const float factor = greyScale({scale.low, scale.high});

    const auto paint = [&](const TexelRect& part) {
        for (std::int64_t j = part.top; j < part.bottom; ++j) {
            const std::int64_t first = slice * strides[axes.depth] + j * strides[axes.down];
            std::uint8_t* texel = out + (j - rect.top) * rowBytes + (part.left - rect.left) * 4;
            for (std::int64_t i = part.left; i < part.right; ++i, texel += 4) {
                const std::int64_t voxel = first + i * strides[axes.right];
                const bool valued = base::hasValue(states.data()[voxel]);
                match::Colour colour =
                    valued ? colours[greyOf(values.data()[voxel], low, factor)] : match::kHatchDark;
                if (states.data()[voxel] == base::Status::LowConf) {
                    colour = match::lowConfColour(colour);
                }
                texel[0] = colour[0];
                texel[1] = colour[1];
                texel[2] = colour[2];
                texel[3] = valued ? 255 : kHatched;
            }
        }
    };

    if (m_finished) {
        paint(rect);
        return;
    }
    for (std::int64_t j = 0; j < rect.bottom - rect.top; ++j) {
        std::fill_n(out + j * rowBytes, (rect.right - rect.left) * 4, std::uint8_t{0});
    }
    inRegions(m_regions, axes, slice, rect, paint);
}

void ShownMap::bestScores(const PlaneAxes& axes, std::int64_t slice, const BestRule& rule,
                          const TexelGrid& grid, const TexelRect& rect,
                          std::vector<ScoreCell>& cells) const {
    const int level =
        m_pyramid && m_pyramid->rule() == rule ? m_pyramid->levelFor(grid.pitch()) : 0;
    if (level > 0) {
        const TexelGrid coarse = grid.atLevel(level);
        m_pyramid->read(level, [&](const base::AnyView& texels) {
            const auto& view = std::get<base::View<const float>>(texels);
            const Merging merging{coarse, rect, 1, cells};
            rule.choose([&](const auto& better) {
                merging.merge(
                    {0, 0, coarse.right.count, coarse.down.count},
                    [&view](std::int64_t y) { return view.row(y, 0); },
                    [](const float* row, std::int64_t x) { return ScoreCell(row[x]); }, better);
            });
        });
        return;
    }
    const auto values = m_map->value.view();
    const auto states = m_map->status.view();
    const std::array<std::int64_t, 3> strides{1, values.rowStride(), values.sliceStride()};
    const auto offset = [&](std::int64_t y) {
        return slice * strides[axes.depth] + y * strides[axes.down];
    };
    const auto scored = [&](std::int64_t row, std::int64_t x) {
        const std::int64_t voxel = row + x * strides[axes.right];
        return ScoreCell(values.data()[voxel], states.data()[voxel]);
    };
    const TexelRect covered{grid.right.firstVoxel(rect.left), grid.down.firstVoxel(rect.top),
                            grid.right.firstVoxel(rect.right), grid.down.firstVoxel(rect.bottom)};
    const Merging merging{grid, rect, readingStep(grid, rect, extents().z > 1), cells};
    rule.choose([&](const auto& better) {
        if (m_finished) {
            merging.merge(covered, offset, scored, better);
        } else {
            inRegions(m_regions, axes, slice, covered,
                      [&](const TexelRect& part) { merging.merge(part, offset, scored, better); });
        }
    });
}

void ShownMap::pixels(const PlaneAxes& axes, std::int64_t slice, const match::HeatmapScale& scale,
                      const ColourTable& colours, const TexelGrid& grid, const TexelRect& rect,
                      std::uint8_t* out, std::int64_t rowBytes) const {
    if (grid.isOfVoxels()) {
        voxels(axes, slice, scale, colours, rect, out, rowBytes);
        return;
    }
    const std::int64_t width = rect.right - rect.left;
    std::vector<ScoreCell> cells(static_cast<std::size_t>(width * (rect.bottom - rect.top)));
    bestScores(axes, slice, bestRule(scale), grid, rect, cells);
    const auto low = static_cast<float>(scale.low);
    const float factor = greyScale({scale.low, scale.high});
    const ScoreCell* cell = cells.data();
    for (std::int64_t j = rect.top; j < rect.bottom; ++j, out += rowBytes) {
        std::uint8_t* texel = out;
        for (std::int64_t i = 0; i < width; ++i, texel += 4, ++cell) {
            match::Colour colour =
                cell->hasValue() ? colours[greyOf(cell->value(), low, factor)] : match::kHatchDark;
            if (cell->isLowConf()) {
                colour = match::lowConfColour(colour);
            }
            texel[0] = colour[0];
            texel[1] = colour[1];
            texel[2] = colour[2];
            // What a run that has ended left out is hatched, like NOT_COMPUTED voxels.
            texel[3] = cell->hasValue() ? 255 : cell->isUnread() && !m_finished ? 0 : kHatched;
        }
    }
}

} // namespace flcc::viz::detail
