#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/method/outside.h"

namespace flcc::cuda {

/// What a block says of its voxels.
struct BlockTally {
    double largestBound = 0;   ///< of the OK and PARTIAL ones
    double largestLowConf = 0; ///< of the LOWCONF ones
    double rounding = 0;       ///< TileFrame::rounding, the largest
    double sample = 0;         ///< the largest bound of a few voxels with scores; 0 without
    std::int32_t ok = 0;
    std::int32_t flat = 0;
    std::int32_t nonFinite = 0;
    std::int32_t lowConf = 0;
    std::int32_t overRange = 0;
    std::int32_t partial = 0;
    std::int32_t notComputed = 0;
    std::int32_t unused = 0; ///< fills the last bytes, so that whoever copies it copies no gap
};
static_assert(sizeof(BlockTally) == 4 * sizeof(double) + 8 * sizeof(std::int32_t));

/// Sums of x and x^2 over windows.
struct PanelSum {
    double first = 0;
    double second = 0;
};

/// A part of a scene and of its map, all pointers in the memory of the device.
/// **Shapes**: scene and map contiguous, x fastest; scene = map + templ - 1, less where placements
/// leave it; one tally for each block of method::shared::blockGrid(map).
struct PartLaunch {
    const void* scene = nullptr;
    base::PixelType pixel = base::PixelType::Float32;
    base::Extents extents; ///< of the scene
    /// Voxel of the scene under the first one of the map's first placement; below 0 where that
    /// leaves the scene.
    base::Index corner;
    const std::uint8_t* inside = nullptr; ///< the scene's mask, as `scene`; null without
    base::Extents templ;
    float* value = nullptr;
    double* exact = nullptr;        ///< where scores are asked for in double; else null
    std::uint8_t* status = nullptr; ///< base::Status
    BlockTally* tallies = nullptr;
    base::Extents map;
};

/// What counts of a panel that is no plain box inside the scene.
struct PanelRule {
    const std::uint8_t* support = nullptr; ///< B_T, as the template
    const std::int32_t* levels = nullptr;  ///< of Overlap: equal where the template's voxels are
    method::Outside outside = method::Outside::Zero;
    double minOverlap = 0;
};

} // namespace flcc::cuda
