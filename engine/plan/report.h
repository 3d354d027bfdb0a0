#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/method/candidate.h"
#include "engine/method/problem.h"

namespace flcc::plan {

/// Effort of planning.
enum class Planning {
    Estimate,   ///< only the cost model; nothing is timed
    Measure,    ///< the plausible candidates are timed on a sample of the scene
    Exhaustive, ///< every candidate is timed on the whole problem
};

[[nodiscard]] constexpr std::string_view name(Planning planning) {
    return planning == Planning::Estimate  ? "estimate"
           : planning == Planning::Measure ? "measure"
                                           : "exhaustive";
}

using method::CandidateReport;
using method::CandidateVerdict;
using method::name;

/// Smallest side, in voxels, of a square or cubic template for which a Fourier method is faster
/// than `direct` in the scene of a plan. Empty if `direct` is always faster, or was not compared.
/// **Source**: FLCC Table II.
struct CriticalSize {
    std::optional<std::int64_t> predicted; ///< by the cost model
    std::optional<std::int64_t> measured;  ///< by the cost model, corrected by the measured times
};

/// Where the times that the planner compared come from.
struct TimesFrom {
    enum class Kind {
        Model,  ///< the constants of the cost model: nothing was timed
        Sample, ///< timed on a part of the scene
        Whole,  ///< timed on the whole problem
        Run,    ///< the least of the last runs of this problem with the chosen candidate
    };
    Kind kind = Kind::Model;
    bool remembered = false; ///< measured earlier, not in this planning
    std::int64_t when = 0;   ///< seconds since 1970 when remembered times were measured; 0: unknown
};

/// "model", "sample", "whole", "run".
[[nodiscard]] std::string_view name(TimesFrom::Kind kind);

/// For users: "timed on a sample of the scene", "timed in a run on 2026-11-28".
[[nodiscard]] std::string toText(const TimesFrom& from);

/// The day of a time, in UTC: "2026-11-28"; empty for 0.
[[nodiscard]] std::string dateOf(std::int64_t secondsSince1970);

/// The decision of the planner with all candidates and reasons.
struct PlanReport {
    method::Problem problem;
    method::Limits limits;
    method::SceneStatistics statistics; ///< with which candidates were predicted; 0 without
    Planning planning = Planning::Measure;
    std::vector<CandidateReport> candidates; ///< chosen first, then by time, refused last
    double planningMs = 0;
    bool calibrated = false; ///< the cost model was measured on this machine
    bool known = false;      ///< the times come from an earlier planning or run
    TimesFrom times;         ///< of the chosen candidate
    CriticalSize critical;

    /// The chosen row, or null when every candidate was refused.
    [[nodiscard]] const CandidateReport* chosen() const;
};

} // namespace flcc::plan
