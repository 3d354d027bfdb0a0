#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/extents.h"

namespace flcc::match {

/// A position of a list that is compared with another list.
struct ComparedPosition {
    base::Point centre{0, 0, 0}; ///< voxels of the scene
    std::optional<double> score{};
};

struct ComparisonOptions {
    double tolerance = 3;        ///< largest distance of a pair
    base::Point voxel{1, 1, 1};  ///< size of a voxel in the unit of the tolerance
    bool smallestIsBest = false; ///< of the scores of A
};

/// A position of A and the one of B that is the same.
struct MatchedPair {
    int a = 0;
    int b = 0;
    double distance = 0; ///< in the unit of the tolerance

    friend bool operator==(const MatchedPair&, const MatchedPair&) = default;
};

/// How well the positions of A with at least (or, where the smallest is best, at most) this score
/// find those of B.
struct ThresholdPoint {
    double threshold = 0;
    std::int64_t listed = 0; ///< positions of A that reach it
    std::int64_t matched = 0;
    double precision = 0; ///< matched / listed
    double recall = 0;    ///< matched / positions of B
    double f1 = 0;        ///< 2 matched / (listed + positions of B)
    /// F-beta with beta 4, in which a missed position weighs as much as 16 wrong ones, as in the
    /// CZII challenge on cryo-electron tomograms: 17 matched / (listed + 16 positions of B).
    double f4 = 0;
};

/// Of a list of which `matched` positions are among the `all` true ones.
[[nodiscard]] ThresholdPoint pointOf(double threshold, std::int64_t listed, std::int64_t matched,
                                     std::int64_t all);

/// Two lists of positions, of which B is the truth where one of them is.
struct ListComparison {
    std::vector<MatchedPair> pairs; ///< by a
    std::vector<int> onlyA;         ///< ascending
    std::vector<int> onlyB;
    double precision = 0; ///< 0 for an empty A
    double recall = 0;    ///< 0 for an empty B
    double f1 = 0;
    double f4 = 0;
    /// One for each score of A, best first; empty if a position of A has no score.
    std::vector<ThresholdPoint> curve;
    std::optional<ThresholdPoint> best; ///< with the largest F1; of several, the strictest
    /// Of the distances of the pairs, in the unit of the tolerance; empty without pairs.
    struct Distances {
        double mean = 0;
        double median = 0;
        double largest = 0;
    };
    std::optional<Distances> distances;
};

/// Pairs the positions of two lists one to one. Two positions may be a pair if their Euclidean
/// distance is at most the tolerance. The number of pairs is the largest that is possible, and
/// among all pairings with that number the sum of distances is the smallest. Number and sum are
/// unique; where several pairings have them, the order of the lists decides which one is taken, so
/// that equal lists give equal pairs. Each point of the curve is the same for a part of A.
/// **Errors**: CommandLine for a tolerance that is negative or no number. **Cost**: for each
/// position of A a search of the positions that compete with it, by shortest augmenting paths.
[[nodiscard]] ListComparison compareLists(const std::vector<ComparedPosition>& a,
                                          const std::vector<ComparedPosition>& b,
                                          const ComparisonOptions& options = {});

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
