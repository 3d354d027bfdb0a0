#pragma once

#include <cstdint>
#include <string>

#include "engine/method/match_map.h"
#include "engine/reference/score.h"
#include "engine/selftest/detail/method_run.h"
#include "engine/selftest/detail/tolerance.h"

namespace flcc::selftest {

/// What the comparison of a map with the judged scores came to.
struct Comparison {
    std::string fault;  ///< the first voxel that breaks a promise, in words; empty when none does
    double worstOk = 0; ///< largest error of the voxels that are OK
    double worstLowConf = 0;
    std::int64_t lowConf = 0;
};

/// Every voxel: the same status, but that OK and PARTIAL may be LOWCONF; a score within its
/// tolerance; 0 where there is none.
[[nodiscard]] Comparison compare(const method::MatchMap& map, const reference::ScoreMap& expected,
                                 const Tolerance& tolerance);

/// Whether the errors found lie within the largest bounds that the outcome of `run` tells, in
/// words. The bounds of a run in double are those of its doubles; the floats beside are rounded
/// once more.
[[nodiscard]] std::string boundFault(const MethodRun& run, const Comparison& found);

/// compare() of a run, and whether the bounds that its outcome tells hold what they say.
[[nodiscard]] std::string mapFault(const MethodRun& run, const reference::ScoreMap& expected,
                                   const Tolerance& tolerance);

/// One voxel of it; empty when it is as promised.
[[nodiscard]] std::string compareVoxel(const method::MatchMap& map,
                                       const reference::Score& expected, const Tolerance& tolerance,
                                       const base::Index& index, Comparison& soFar);

/// The first voxel in which value or status of the maps differ in a bit, in words.
[[nodiscard]] std::string firstDifferentBit(const method::MatchMap& a, const method::MatchMap& b);

/// As firstDifferentBit inside `box`.
[[nodiscard]] std::string firstDifferentBit(const method::MatchMap& a, const method::MatchMap& b,
                                            const base::Box& box);

} // namespace flcc::selftest
