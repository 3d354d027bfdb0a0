#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/match/detail/scores.h"

namespace flcc::match::detail {

/// A voxel that may be a peak.
struct Candidate {
    double upper = 0;        ///< upper limit of its canonical score
    std::int64_t linear = 0; ///< linear index of the voxel

    /// True if this candidate cannot come after `other` in the list, as far as the map shows.
    [[nodiscard]] bool before(const Candidate& other) const {
        return upper > other.upper || (upper == other.upper && linear < other.linear);
    }
};

/// The voxels that have a value, may reach `minScore` but not `below`, and are not certainly lower
/// than a neighbour: value(u) + margin(u) >= value(w) - margin(w) for all 8 or 26 neighbours w that
/// have a value. The order is unspecified. Empty if cancelled. `progress` gets the share of the
/// rows.
[[nodiscard]] std::vector<Candidate>
scanCandidates(const Scores& scores, double minScore, double below, std::stop_token stop,
               const std::function<void(double)>& progress = {});

/// A score that about `count` voxels reach, by a sample of the map; minus infinity for a small or a
/// reduced map.
[[nodiscard]] double scoreOfTheBest(const Scores& scores, std::int64_t count,
                                    const std::stop_token& stop = {});

} // namespace flcc::match::detail
