#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>

#include "engine/base/pixels.h"

namespace flcc::features::detail {

using Three = std::array<std::int64_t, 3>;

[[nodiscard]] inline Three byAxis(const base::Extents& extents) {
    return {extents.x, extents.y, extents.z};
}

/// Means of equal blocks of an image: block i along an axis begins at corner + i * block.
struct BlockGrid {
    std::array<std::int64_t, 3> corner{0, 0, 0}; ///< may lie outside the image
    std::array<std::int64_t, 3> block{1, 1, 1};  ///< voxels
    base::Extents count{1, 1, 1};
};

/// The finite values of an image in each block, at most four an axis; NaN for a block without one,
/// as outside the image.
[[nodiscard]] inline base::Image<float> blockMeans(const base::AnyView& image,
                                                   const BlockGrid& grid) {
    constexpr std::int64_t kMostRead = 4;
    base::Image<float> means(grid.count);
    std::visit(
        [&](const auto& view) {
            const std::array<std::int64_t, 3> n{view.extents().x, view.extents().y,
                                                view.extents().z};
            const auto range = [&](std::size_t axis, std::int64_t block) {
                const std::int64_t first = grid.corner[axis] + block * grid.block[axis];
                return std::array{std::max<std::int64_t>(first, 0),
                                  std::min(first + grid.block[axis], n[axis]),
                                  (grid.block[axis] + kMostRead - 1) / kMostRead};
            };
            for (std::int64_t k = 0; k < grid.count.z; ++k) {
                const auto [z0, z1, dz] = range(2, k);
                for (std::int64_t j = 0; j < grid.count.y; ++j) {
                    const auto [y0, y1, dy] = range(1, j);
                    for (std::int64_t i = 0; i < grid.count.x; ++i) {
                        const auto [x0, x1, dx] = range(0, i);
                        double sum = 0;
                        std::int64_t read = 0;
                        for (std::int64_t z = z0; z < z1; z += dz) {
                            for (std::int64_t y = y0; y < y1; y += dy) {
                                for (std::int64_t x = x0; x < x1; x += dx) {
                                    const auto value = static_cast<double>(view.at(x, y, z));
                                    const bool finite = std::isfinite(value);
                                    sum += finite ? value : 0;
                                    read += finite ? 1 : 0;
                                }
                            }
                        }
                        means.view().at(i, j, k) =
                            read > 0 ? static_cast<float>(sum / static_cast<double>(read))
                                     : std::numeric_limits<float>::quiet_NaN();
                    }
                }
            }
        },
        image);
    return means;
}

} // namespace flcc::features::detail
