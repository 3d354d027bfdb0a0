#pragma once

#include <cstdint>
#include <functional>

#include "engine/job/input/poses.h"
#include "engine/job/match/kept_search.h"
#include "engine/match/search_statistics.h"
#include "engine/method/method.h"
#include "engine/method/session.h"

namespace flcc::job::detail {

/// Bytes that a search over poses takes beside the run of one batch: the map of a batch, its
/// members, a copy of the best scores to look at and, if members are `filtered`, what threads need
/// for that.
[[nodiscard]] std::int64_t posesBytes(const method::Problem& batch, bool filtered, int threads);

/// What runPoses() needs of a group.
struct PoseRun {
    const method::Method& method;
    const method::Problem& problem; ///< of a batch: its templates are the most of one
    const method::Candidate& candidate;
    const rotation::PoseBank& bank;
    const method::MaskedView& scene;
    /// Called with the finished share; calls for one batch after the other.
    std::function<void(double)> share{};
    /// Called on the calling thread after each batch but the last, with the number of members
    /// searched so far. `best` holds their scores until it returns.
    std::function<void(std::int64_t)> searched{};
    /// Where the finished part is kept, and taken from if it is of this candidate; may be null.
    KeptSearch* kept = nullptr;
    match::Likeness* likeness = nullptr; ///< if set, all members are added to it
};

/// Searches all members of a bank: makes a batch of them, prepares it, matches it, and merges the
/// best scores into `best`, whose index names members; its sums are cleared before, if wanted. The
/// memory does not depend on their number. The scores of a voxel and their order are those of one
/// bank of all members. If cancelled, `best` is as before a run. **Errors**: as Method::prepare()
/// and executeBank(), naming the pose. `execution.regionFinished` is called with the whole map at
/// the end.
[[nodiscard]] method::Outcome runPoses(const PoseRun& run, const method::Execution& execution,
                                       const method::BankView& best);

} // namespace flcc::job::detail
