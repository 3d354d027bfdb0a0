#pragma once

#include "engine/cpu/score/tile_scorer.h"

namespace flcc::cpu {

/// What scoreTile() needs to know of a tile; `constant` is ScoreConstants::boundConstant.
[[nodiscard]] simd::ScoreConstants constantsOf(const method::Problem& problem,
                                               const CentredTile& tile, const BoundTerms& terms,
                                               double constant);

/// Sets what differs under a mask, whose sums are given. `unit`: the unit roundoff of the voxels.
void setMasked(const MaskedSums& sums, const CentredTile& tile, double unit,
               simd::ScoreConstants& constants);

} // namespace flcc::cpu
