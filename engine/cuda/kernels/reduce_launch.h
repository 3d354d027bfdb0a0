#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/method/device_reduction.h"

namespace flcc::cuda {

/// Capacity of a block's list of kept voxels. In white noise in two dimensions a ninth of the
/// voxels are maxima: 114 of the 1024 of a block.
inline constexpr int kKeptMost = 192;
/// Capacity of a part's list of voxels that are asked for.
inline constexpr int kAskedMost = 128;

/// What a block reports about its scores, without LOWCONF scores: these are all kept, and the host
/// adds them later. Sums are in units of method::kScoreUnit.
struct ReducedBlock {
    double sum = 0;
    double squares = 0;
    float minimum = 0;
    float maximum = 0;
    std::int32_t scores = 0;
    std::int32_t kept = 0; ///< number of voxels to keep, also of those beyond kKeptMost
    std::int32_t ok = 0;
    std::int32_t flat = 0;
    std::int32_t nonFinite = 0;
    std::int32_t notComputed = 0;
};

/// Score and status of a voxel that was asked for (method::Reduction::asked).
struct AskedVoxel {
    double value = 0;
    std::uint32_t status = 0;
    std::int32_t templ = 0; ///< for a bank: the template of the score
};

/// The arguments to reduce a part of a map to the voxels that may be peaks. All pointers are in
/// device memory.
///
/// **Shapes**: value, exact and status as the map, x fastest; one ReducedBlock and kKeptMost voxels
/// for each block of method::shared::blockGrid(map).
struct ReduceLaunch {
    const float* value = nullptr;
    const double* exact = nullptr;        ///< scores in double of a run in double; else null
    const std::uint8_t* status = nullptr; ///< kOpenStatus (of a bank) counts as LOWCONF
    const std::int32_t* index = nullptr;  ///< for a bank: the template of each score; else null
    base::Extents map;
    float threshold = 0;  ///< a score below it cannot be a peak
    float margin = 0;     ///< a score is certainly higher if it exceeds the other one by more
    bool partial = false; ///< PARTIAL voxels can be peaks
    ReducedBlock* blocks = nullptr;
    method::KeptVoxel* kept = nullptr;
    std::int32_t* keptTempl = nullptr; ///< the template of each kept voxel; null without `index`
    AskedVoxel* reported = nullptr;    ///< the voxels of `asked`, in that order
    std::int32_t askedCount = 0;
    std::uint32_t asked[kAskedMost] = {}; ///< offsets in the part, x fastest
};

} // namespace flcc::cuda
