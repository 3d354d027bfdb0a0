#include "viz/slice/support_plane.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "viz/pixels/grey_pixels.h"
#include "viz/pixels/map_pixels.h"

namespace flcc::viz::detail {

void SupportPlane::setSupport(Support support, const SlicePlane& plane) {
    clear();
    if (support && support->extents() == plane.extents) {
        m_support = std::move(support);
        const auto count = byAxis(plane.extents);
        m_tile.setShape(count[plane.axes.right], count[plane.axes.down], {0, 0});
        m_tile.setOpacity(kOutsideOpacity);
    }
}

void SupportPlane::clear() {
    m_support.reset();
    m_tile.clear();
}

void SupportPlane::update(const SlicePlane& plane) {
    if (m_support) {
        m_tile.update(plane.view,
                      [&](const TexelGrid& grid, const TexelRect& rect, std::uint8_t* out,
                          std::int64_t rowBytes) { pixels(plane, grid, rect, out, rowBytes); });
    }
}

/// A texel of several voxels shows the one in its middle.
void SupportPlane::pixels(const SlicePlane& plane, const TexelGrid& grid, const TexelRect& rect,
                          std::uint8_t* out, std::int64_t rowBytes) const {
    const auto support = m_support->view();
    const std::array<std::int64_t, 3> strides{1, support.rowStride(), support.sliceStride()};
    const auto middle = [](const TexelAxis& axis, std::int64_t texel) {
        return (axis.firstVoxel(texel) + axis.firstVoxel(texel + 1) - 1) / 2;
    };
    std::vector<std::int64_t> columns;
    for (std::int64_t i = rect.left; i < rect.right; ++i) {
        columns.push_back(middle(grid.right, i) * strides[plane.axes.right]);
    }
    for (std::int64_t j = rect.top; j < rect.bottom; ++j) {
        const std::uint8_t* row = support.data() + plane.slice * strides[plane.axes.depth] +
                                  middle(grid.down, j) * strides[plane.axes.down];
        std::uint8_t* texel = out + (j - rect.top) * rowBytes;
        for (const std::int64_t column : columns) {
            std::copy(kOutside.begin(), kOutside.end(), texel);
            texel[3] = row[column] != 0 ? 0 : 255;
            texel += 4;
        }
    }
}

} // namespace flcc::viz::detail
