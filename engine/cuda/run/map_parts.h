#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/extents.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

/// Splits a map into boxes of extents `part`, x fastest. The last box along each axis may be
/// smaller.
[[nodiscard]] inline std::vector<base::Box> mapParts(const base::Extents& map,
                                                     const base::Extents& part) {
    std::vector<base::Box> boxes;
    for (std::int64_t z = 0; z < map.z; z += part.z) {
        for (std::int64_t y = 0; y < map.y; y += part.y) {
            for (std::int64_t x = 0; x < map.x; x += part.x) {
                boxes.push_back({{x, y, z},
                                 {std::min(part.x, map.x - x), std::min(part.y, map.y - y),
                                  std::min(part.z, map.z - z)}});
            }
        }
    }
    return boxes;
}

/// The largest part for which `fits(part)` is true, found by halving the map along z, then y, then
/// x. A part consists of whole blocks, so that the blocks of a map, and with them the bits of its
/// scores, do not depend on the parts. If nothing fits, the part is one block.
template <class Fits>
[[nodiscard]] base::Extents largestPart(const base::Extents& map, Fits&& fits) {
    base::Extents part = map;
    const auto halve = [&](std::int64_t& length, std::int64_t step) {
        while (!fits(part) && length > step) {
            length = method::shared::ceilDivide(method::shared::ceilDivide(length, 2), step) * step;
        }
    };
    halve(part.z, 1);
    halve(part.y, method::shared::kBlockHeight);
    halve(part.x, method::shared::kBlockWidth);
    return part;
}

} // namespace flcc::cuda
