#pragma once

#include <cstdint>

#include "engine/base/extents.h"

namespace flcc::cuda {

/// LOWCONF scores of all templates of a bank that a block has room for.
inline constexpr int kOpenMost = 256;
/// Set in the status of a voxel of the best scores that has LOWCONF ones which were not taken in.
inline constexpr std::uint8_t kOpenStatus = 0x80;

/// A LOWCONF score, which the host takes into the best ones when it has looked at it.
struct OpenScore {
    double value = 0;
    std::uint32_t at = 0; ///< in its part of the map, x fastest
    std::int32_t templ = 0;
};

/// What a block says of the scores of a template, in units of method::kScoreUnit; LOWCONF ones come
/// in when they are certain.
struct MergedBlock {
    double sum = 0;
    double squares = 0;
    std::int32_t scores = 0;
    std::int32_t open = 0; ///< LOWCONF ones of this template and those before it, room or not
};

/// Takes the scores that a template of a bank has in a part of a map into the best ones, as
/// method::mergeBest(), but for LOWCONF ones. The first template comes first, the others in any
/// order. All pointers are in the memory of the device. **Shapes**: scores and best ones as the
/// map, x fastest; one MergedBlock and kOpenMost scores for each block of
/// method::shared::blockGrid(map).
struct MergeLaunch {
    const float* value = nullptr;
    const double* exact = nullptr; ///< of a run in double, which decides which one is larger
    const std::uint8_t* status = nullptr;
    base::Extents map;
    std::int32_t templ = 0;
    float* best = nullptr;
    double* bestExact = nullptr;
    std::uint8_t* bestStatus = nullptr; ///< base::Status, with kOpenStatus
    std::int32_t* index = nullptr;      ///< of the template that gave it; -1 without one
    OpenScore* open = nullptr;
    const MergedBlock* before = nullptr; ///< of the template before; null of the first one
    MergedBlock* blocks = nullptr;       ///< of this one
};

} // namespace flcc::cuda
