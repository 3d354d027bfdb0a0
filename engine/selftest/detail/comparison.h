#pragma once

#include <cstdint>
#include <string>

#include "engine/method/match_map.h"
#include "engine/reference/score.h"
#include "engine/selftest/detail/method_run.h"
#include "engine/selftest/detail/tolerance.h"

namespace flcc::selftest {

/// Result of comparing a map with the expected scores.
struct Comparison {
    std::string fault; ///< the first voxel that breaks a promise, as a sentence; empty if none does
    double worstOk = 0; ///< largest error of the OK voxels
    double worstLowConf = 0;
    std::int64_t lowConf = 0;
};

/// Compares every voxel: the status must be equal, except that OK and PARTIAL may be LOWCONF; the
/// error of a score must be within its tolerance; a voxel without a score must be 0.
[[nodiscard]] Comparison compare(const method::MatchMap& map, const reference::ScoreMap& expected,
                                 const Tolerance& tolerance);

/// Checks that the errors found are within the largest bounds that the outcome of `run` reports;
/// returns the fault as a sentence. Bounds of a run in double hold for its doubles; the floats
/// beside them are rounded once more.
[[nodiscard]] std::string boundFault(const MethodRun& run, const Comparison& found);

/// compare() and boundFault() of a run.
[[nodiscard]] std::string mapFault(const MethodRun& run, const reference::ScoreMap& expected,
                                   const Tolerance& tolerance);

/// Compares one voxel; empty if it is as promised.
[[nodiscard]] std::string compareVoxel(const method::MatchMap& map,
                                       const reference::Score& expected, const Tolerance& tolerance,
                                       const base::Index& index, Comparison& soFar);

/// The first voxel in which value or status of the maps differ in any bit, as a sentence.
[[nodiscard]] std::string firstDifferentBit(const method::MatchMap& a, const method::MatchMap& b);

/// As firstDifferentBit above, inside `box`.
[[nodiscard]] std::string firstDifferentBit(const method::MatchMap& a, const method::MatchMap& b,
                                            const base::Box& box);

} // namespace flcc::selftest
