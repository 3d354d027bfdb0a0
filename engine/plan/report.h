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

/// How hard the planner tries (METHODS 5).
enum class Planning {
    Estimate,   ///< the cost model alone
    Measure,    ///< the plausible candidates are timed on a sample of the scene
    Exhaustive, ///< every candidate is timed on the whole problem
};

[[nodiscard]] constexpr std::string_view name(Planning planning) {
    return planning == Planning::Estimate  ? "estimate"
           : planning == Planning::Measure ? "measure"
                                           : "exhaustive";
}

/// What became of a candidate.
enum class CandidateVerdict { Chosen, Slower, Refused, Failed };

/// "chosen", "slower", "refused", "failed".
[[nodiscard]] std::string_view name(CandidateVerdict verdict);

/// One row of a plan report.
struct CandidateReport {
    method::Candidate candidate;
    CandidateVerdict verdict = CandidateVerdict::Slower;
    std::string reason; ///< why it was chosen, slower, refused or failed; never empty
    /// Empty for a refused candidate.
    std::optional<method::Prediction> prediction;
    /// Time of the whole run, extrapolated from the sample, when it was timed.
    std::optional<double> measuredMs;
    /// What the planner made of its samples: measuredMs, which the time of the run replaces later,
    /// or for a row that was not timed its prediction as far off as those of the timed ones.
    std::optional<double> sampleMs;

    /// What the planner believed: by the sample where there was one, else by the cost model.
    [[nodiscard]] std::optional<double> expectedMs() const {
        return sampleMs ? sampleMs : prediction ? std::optional(prediction->ms) : std::nullopt;
    }
};

/// Side of the square or cubic template from which on a Fourier method is faster than `direct` in
/// the scene of a plan (FLCC Table II). Empty where they do not cross or were not both considered.
struct CriticalSize {
    std::optional<std::int64_t> predicted; ///< by the cost model
    std::optional<std::int64_t> measured;  ///< by the model put right by the times of both
};

/// Everything a plan was made of; also what is shown before a run.
struct PlanReport {
    method::Problem problem;
    method::Limits limits;
    Planning planning = Planning::Measure;
    std::vector<CandidateReport> candidates; ///< chosen first, then by time, refused last
    double planningMs = 0;
    bool calibrated = false; ///< the cost model was measured on this machine
    bool known = false;      ///< the times were measured in an earlier planning and kept
    CriticalSize critical;

    /// The chosen row, or null when every candidate was refused.
    [[nodiscard]] const CandidateReport* chosen() const;
};

} // namespace flcc::plan
