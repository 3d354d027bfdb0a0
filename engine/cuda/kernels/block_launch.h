#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/method/outside.h"

namespace flcc::cuda {

/// The counts, error bounds and rounding errors that one block of a kernel reports about its voxels
/// of the map.
struct BlockTally {
    double largestBound = 0;   ///< largest error bound of OK and PARTIAL voxels
    double largestLowConf = 0; ///< largest error bound of LOWCONF voxels
    double rounding = 0;       ///< largest TileFrame::rounding, in units of the scene
    /// Largest error bound among the first voxel of each thread; 0 if none of these has a score.
    double sample = 0;
    std::int32_t ok = 0;
    std::int32_t flat = 0;
    std::int32_t nonFinite = 0;
    std::int32_t lowConf = 0;
    std::int32_t overRange = 0;
    std::int32_t partial = 0;
    std::int32_t notComputed = 0;
    std::int32_t unused = 0; ///< explicit padding: a copy of the structure reads no undefined byte
};
static_assert(sizeof(BlockTally) == 4 * sizeof(double) + 8 * sizeof(std::int32_t));

/// The sums of x and of x^2 over the window of one placement: s1 and s2 of
/// engine/method/NUMERICS.md, section 1.
struct PanelSum {
    double first = 0;
    double second = 0;
};

/// The scene voxels and map placements that the kernels of one part read and write. All pointers
/// are in device memory.
///
/// **Shapes**: scene and map are stored with x fastest. The scene has at least map + templ - 1
/// voxels on each axis, fewer where placements leave the scene. There is one tally for each block
/// of method::shared::blockGrid(map).
struct PartLaunch {
    const void* scene = nullptr;
    base::PixelType pixel = base::PixelType::Float32;
    base::Extents extents; ///< of `scene`
    /// Scene voxel under the template's first voxel at the map's first placement. Components are
    /// negative where that placement leaves the scene.
    base::Index corner;
    const std::uint8_t* inside = nullptr; ///< the scene's mask, as `scene`; null without a mask
    base::Extents templ;
    float* value = nullptr;
    double* exact = nullptr;        ///< scores in double if the run asks for them, else null
    std::uint8_t* status = nullptr; ///< base::Status
    BlockTally* tallies = nullptr;
    base::Extents map;
};

/// The rules for panels that are not full boxes inside the scene: which voxels count, and what the
/// rest counts for.
struct PanelRule {
    const std::uint8_t* support = nullptr; ///< B_T, as the template: 1 for voxels that count
    const std::int32_t* levels = nullptr;  ///< for Overlap: levelsOf() of the template
    method::Outside outside = method::Outside::Zero;
    double minOverlap = 0;
};

} // namespace flcc::cuda
