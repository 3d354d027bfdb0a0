#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/method/candidate.h"

/// The rows of a plan, of matches and of filters, and how they are ordered and explained.
namespace flcc::method {

/// Result of planning for one candidate.
enum class CandidateVerdict { Chosen, Slower, Refused, Failed };

/// "chosen", "slower", "refused", "failed".
[[nodiscard]] std::string_view name(CandidateVerdict verdict);

/// One row of a plan.
struct CandidateReport {
    Candidate candidate;
    CandidateVerdict verdict = CandidateVerdict::Slower;
    std::string reason{}; ///< reason for the verdict, for users; never empty in a finished plan
    /// Empty for a refused candidate.
    std::optional<Prediction> prediction{};
    /// Time of the whole run in milliseconds: extrapolated from samples by planning, replaced by
    /// the time of the run itself after it. Empty if the candidate was neither timed nor run.
    std::optional<double> measuredMs{};
    /// Time in milliseconds that the planner compared: measuredMs of a candidate that it timed; for
    /// any other the prediction, multiplied by the median ratio of time to prediction of the timed
    /// ones, or by 1 if that is more. Empty if planning timed nothing.
    std::optional<double> sampleMs{};
    bool forMemory = false; ///< of a filter: refused as it needs more memory than the limit

    [[nodiscard]] bool usable() const {
        return verdict != CandidateVerdict::Refused && verdict != CandidateVerdict::Failed;
    }
    /// The time that the planner expected: sampleMs, or the prediction if there is none.
    [[nodiscard]] std::optional<double> expectedMs() const {
        return sampleMs ? sampleMs : prediction ? std::optional(prediction->ms) : std::nullopt;
    }
};

/// Usable rows first, the fastest one in front; equally fast ones stay in their order. `reportOf`
/// gives the CandidateReport of a row.
template <class Row, class Of = std::identity>
void sortByTime(std::vector<Row>& rows, Of reportOf = {}) {
    std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
        const CandidateReport& one = std::invoke(reportOf, a);
        const CandidateReport& other = std::invoke(reportOf, b);
        if (one.usable() != other.usable()) {
            return one.usable();
        }
        return one.usable() && *one.expectedMs() < *other.expectedMs();
    });
}

/// The reports of rows.
template <class Row, class Of = std::identity>
[[nodiscard]] std::vector<CandidateReport*> reportsOf(std::vector<Row>& rows, Of reportOf = {}) {
    std::vector<CandidateReport*> reports;
    for (Row& row : rows) {
        reports.push_back(&std::invoke(reportOf, row));
    }
    return reports;
}

/// Sets sampleMs of usable rows that were not timed. False if none was timed.
bool scaleUntimed(std::span<CandidateReport* const> rows);

/// Sets verdict and reason of the usable rows. The first one is chosen. `timed`: of times that were
/// measured, "timed on a sample of the scene". `replayed`: the candidate of an earlier report.
void explain(std::span<CandidateReport* const> rows, std::string_view timed, bool replayed);

} // namespace flcc::method
