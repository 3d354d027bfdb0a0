#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/extents.h"
#include "engine/method/on_device.h"
#include "engine/method/transforms.h"

namespace flcc::method {

/// Name of the processor where a device is named.
inline constexpr std::string_view kProcessor = "cpu";

/// One configuration that solves a problem: a method, its device and all free parameters.
struct Candidate {
    std::string method;             ///< name of the method: "direct", "tiled"
    std::string device{kProcessor}; ///< "cpu", "cuda:0"
    /// Extents of a tile: points of the transform for Fourier methods, placements for `direct`; 0
    /// for a method without tiles.
    base::Extents tile{0, 0, 0};
    int threads = 1;
    CandidateOnDevice onDevice{};
    int parts = 0; ///< parts into which method `dif` decimates; 0 for any other method
    Transforms transforms = Transforms::Auto; ///< Auto without transforms on the processor

    [[nodiscard]] bool onProcessor() const { return device == kProcessor; }

    /// The method and, if FFTW transforms for it, this: "fourier, FFTW".
    [[nodiscard]] std::string label() const {
        return transforms == Transforms::Fftw ? method + ", FFTW" : method;
    }

    friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Predicted cost of a candidate on one scene. **Source**: FLCC Table I for the operations,
/// extended to tiles; Karas (30) for the memory of tiles.
struct Prediction {
    double ms = 0;              ///< milliseconds to prepare the templates and run
    double operations = 0;      ///< multiplications and additions
    std::int64_t hostBytes = 0; ///< peak of host memory beyond the scene: map, statuses, buffers
    double errorBound = 0;      ///< bound on the error (NUMERICS.md, section 5) at predictedK()
    /// Planning effort of FFTW's plans, "own" for the program's own transforms, "cufft" on a GPU;
    /// empty for a method without transforms.
    std::string fftPlanning;
    double setupMs = 0; ///< part of `ms` that does not grow with the scene: template, buffers
    std::int64_t tilesInFlight = 0; ///< tiles whose buffers exist at once
    double paddingWaste = 0; ///< share of the computed points, 0 to 1, that give no placement
    PredictionOnDevice onDevice{};
};

/// The verdict on a candidate that cannot solve the problem, with the reason in a sentence.
struct Refusal {
    std::string reason;
};

using Verdict = std::variant<Prediction, Refusal>;

} // namespace flcc::method

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
