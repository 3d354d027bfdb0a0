#pragma once

#include <vector>

#include "engine/base/extents.h"
#include "engine/method/method.h"

namespace flcc::plan {

/// A part of a problem on which a candidate is timed, with one template and placements inside the
/// scene.
struct Sample {
    method::Problem part;
    /// `candidate` itself, or for a method with one transform for the whole scene one like it.
    method::Candidate candidate;
    base::Box box; ///< the part's scene in that of the problem; as much to recompute as the whole
};

/// The part of a problem with about `share` of its placements, in whole tiles of the candidate: at
/// least one for each thread, if the map has that many. `lowest`: SceneStatistics::lowest, may be
/// empty. **Cost**: a few predictions.
[[nodiscard]] Sample sampleOf(const method::Method& method, const method::Problem& problem,
                              const method::Candidate& candidate, double share,
                              const method::Limits& limits, const method::CostModel& model,
                              const std::vector<base::Index>& lowest);

} // namespace flcc::plan
