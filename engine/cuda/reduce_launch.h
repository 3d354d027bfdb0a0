#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/method/kept_voxel.h"

namespace flcc::cuda {

/// Voxels of a block that can be kept; a ninth of white noise in two dimensions are maxima.
inline constexpr int kKeptMost = 192;
/// Voxels of a part that can be asked for.
inline constexpr int kAskedMost = 128;

/// What a block says of the scores that it has, in units of method::kScoreUnit; LOWCONF
/// ones, which are all kept, come in when they are certain.
struct ReducedBlock {
    double sum = 0;
    double squares = 0;
    float minimum = 0;
    float maximum = 0;
    std::int32_t scores = 0;
    std::int32_t kept = 0; ///< that there are, also where there is no room for them
    std::int32_t ok = 0;
    std::int32_t flat = 0;
    std::int32_t nonFinite = 0;
    std::int32_t notComputed = 0;
};

/// A voxel that was asked for.
struct AskedVoxel {
    double value = 0;
    std::uint32_t status = 0;
    std::int32_t templ = 0; ///< of a bank
};

/// The reduction of a part of a map to the voxels that may be peaks, all pointers in the memory of
/// the device. **Shapes**: value, exact and status as the map, x fastest; one ReducedBlock and
/// kKeptMost voxels for each block of method::shared::blockGrid(map).
struct ReduceLaunch {
    const float* value = nullptr;
    const double* exact = nullptr;        ///< of a run in double, whose floats are rounded
    const std::uint8_t* status = nullptr; ///< of a bank with kOpenStatus: LOWCONF
    const std::int32_t* index = nullptr;  ///< of a bank: the template of each score; else null
    base::Extents map;
    float threshold = 0;  ///< what is below is no peak
    float margin = 0;     ///< by which a value must be above another one to be certainly higher
    bool partial = false; ///< PARTIAL voxels take part
    ReducedBlock* blocks = nullptr;
    method::KeptVoxel* kept = nullptr;
    std::int32_t* keptTempl = nullptr; ///< of each of them; null without `index`
    AskedVoxel* reported = nullptr;    ///< of `asked`, in their order
    std::int32_t askedCount = 0;
    std::uint32_t asked[kAskedMost] = {};
};

} // namespace flcc::cuda
