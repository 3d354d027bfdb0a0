#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/match/detail/scores.h"

namespace flcc::match::detail {

/// A voxel that may be a peak.
struct Candidate {
    double upper = 0;        ///< its canonical score is not above this
    std::int64_t linear = 0; ///< where

    /// True when this one cannot come after `other` in the list as far as the map tells.
    [[nodiscard]] bool before(const Candidate& other) const {
        return upper > other.upper || (upper == other.upper && linear < other.linear);
    }
};

/// The voxels with a value whose score may reach `minScore` and that no neighbour certainly
/// exceeds: value(u) + margin(u) >= value(w) - margin(w) for all 8 or 26 neighbours w with a value.
/// In no order. Empty when stopped.
[[nodiscard]] std::vector<Candidate> scanCandidates(const Scores& scores, double minScore,
                                                    std::stop_token stop);

} // namespace flcc::match::detail
