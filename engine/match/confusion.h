#pragma once

#include <cstdint>
#include <vector>

#include "engine/match/list_comparison.h"

namespace flcc::match {

/// Positions of a list, each of one kind of the list, counted from 0.
struct KindPositions {
    std::vector<ComparedPosition> positions;
    std::vector<int> kinds; ///< one for each position
    int count = 0;          ///< of kinds, also of those without a position
};

/// Which kind of A was found where a species of B lies.
struct Confusion {
    /// By the species of B and the kind of A. The last row counts positions of A at none of B, the
    /// last column positions of B that A lacks; their corner is 0.
    std::vector<std::vector<std::int64_t>> counts;
    /// Of each species of B, with the positions of the kinds of A that are of this species.
    std::vector<ThresholdPoint> species;
    std::vector<std::int64_t> present; ///< positions of B of each species
    /// Mean of f4 over the species of B that have a position and of which a kind of A is; 0 without
    /// one. With equal weights the score of the CZII challenge.
    double f4 = 0;
    int scored = 0; ///< number of these species
};

/// Counts pairs of compareLists(): first of positions of the same species, each species on its own,
/// so that a right pair is never given up for a wrong one; then of all positions that are left.
/// `speciesOf`: the species of B that each kind of A is; -1: none. **Errors, cost**: as
/// compareLists().
[[nodiscard]] Confusion confusionOf(const KindPositions& a, const KindPositions& b,
                                    const std::vector<int>& speciesOf,
                                    const ComparisonOptions& options);

} // namespace flcc::match
