#pragma once

#include <optional>

#include "engine/cpu/score/tile_scorer.h"
#include "engine/method/shared/finish.h"

namespace flcc::cpu {

/// How the values of a tile are computed and stored.
struct FinishPrecision {
    bool inDouble = false;      ///< voxels and numerators
    bool storesDoubles = false; ///< the map has them
};

/// The constants that turn sums of a tile into values of the problem's operation
/// (engine/method/NUMERICS.md, section 5). Empty if only canonical values are right: magnitudes are
/// far from 1, whole numbers of a map of doubles would not be exact, or the operation is no linear
/// form of sums.
[[nodiscard]] std::optional<method::shared::FinishConstants>
finishOf(const method::Problem& problem, const method::CanonicalTemplate& templ,
         const CentredTile& tile, const BoundTerms& terms, const FinishPrecision& precision);

} // namespace flcc::cpu
