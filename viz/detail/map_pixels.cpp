#include "viz/detail/map_pixels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "viz/detail/grey_pixels.h"

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

void ShownMap::pixels(const PlaneAxes& axes, std::int64_t slice, const match::HeatmapScale& scale,
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
    for (const base::Box& region : m_regions) {
        const auto corner = byAxis(region.corner);
        const auto size = byAxis(region.extents);
        if (slice < corner[axes.depth] || slice >= corner[axes.depth] + size[axes.depth]) {
            continue;
        }
        const TexelRect part = common(rect, {corner[axes.right], corner[axes.down],
                                             corner[axes.right] + size[axes.right],
                                             corner[axes.down] + size[axes.down]});
        if (!part.empty()) {
            paint(part);
        }
    }
}

} // namespace flcc::viz::detail
