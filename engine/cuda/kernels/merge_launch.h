#pragma once

#include <cstdint>

#include "engine/base/extents.h"

namespace flcc::cuda {

/// Capacity of a block's list of LOWCONF scores, for all templates of a bank together.
inline constexpr int kOpenMost = 256;
/// Bit in the status of a best score: some template has a LOWCONF score there that is not merged
/// yet.
inline constexpr std::uint8_t kOpenStatus = 0x80;

/// A LOWCONF score, which the host repairs if it can and then merges into the best scores.
struct OpenScore {
    double value = 0;
    std::uint32_t at = 0; ///< offset in its part of the map, x fastest
    std::int32_t templ = 0;
};

/// What a block reports about the scores of one template, without LOWCONF scores, which the host
/// adds later. Sums are in units of method::kScoreUnit.
struct MergedBlock {
    double sum = 0;
    double squares = 0;
    std::int32_t scores = 0;
    /// LOWCONF scores of this template and those merged before it, also those beyond kOpenMost.
    std::int32_t open = 0;
};

/// The arguments to merge the scores of one template, for one part of a map, into the best scores
/// of a bank: as method::mergeBest(), but without LOWCONF scores. Template 0 comes first, the
/// others in any order. All pointers are in device memory.
///
/// **Shapes**: scores and best scores as the map, x fastest; one MergedBlock and kOpenMost entries
/// of `open` for each block of method::shared::blockGrid(map).
struct MergeLaunch {
    const float* value = nullptr;
    const double* exact = nullptr; ///< scores in double, compared if not null
    const std::uint8_t* status = nullptr;
    base::Extents map;
    std::int32_t templ = 0;
    float* best = nullptr;
    double* bestExact = nullptr;
    std::uint8_t* bestStatus = nullptr; ///< base::Status, may contain kOpenStatus
    std::int32_t* index = nullptr;      ///< template of the best score; -1 if there is none
    OpenScore* open = nullptr;
    const MergedBlock* before =
        nullptr;                   ///< reports on the template merged before; null for the first
    MergedBlock* blocks = nullptr; ///< reports on this template
    base::Box counted{};           ///< placements of the template that count (method::Counted)
    bool wholeFirst = false;       ///< method::Counted::wholeFirst
};

} // namespace flcc::cuda
