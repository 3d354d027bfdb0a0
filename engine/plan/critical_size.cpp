#include "engine/plan/detail/critical_size.h"

#include <algorithm>
#include <cmath>

#include "engine/plan/planner.h"

namespace flcc::plan {

namespace {

/// Predicted times of the two families; infinite where nothing fits.
struct Times {
    double direct = INFINITY;
    double fourier = INFINITY;
};

Times timesOf(const method::Problem& problem, const method::Limits& limits,
              const method::CostModel& model) {
    Times times;
    for (const method::Method* method : methods()) {
        if (method->onDevice() != nullptr) {
            continue; // where the lines of two devices cross says nothing of the sizes of templates
        }
        double& best = method->traits().byDefinition ? times.direct : times.fourier;
        for (const method::Candidate& candidate : method->candidates(problem, limits, {0, 0, 0})) {
            const auto verdict = method->predict(problem, candidate, limits, model, nullptr);
            if (const auto* prediction = std::get_if<method::Prediction>(&verdict)) {
                best = std::min(best, prediction->ms);
            }
        }
    }
    return times;
}

/// The side from which on Fourier is faster, when `direct` takes `ratio` times as long against it
/// as predicted.
std::optional<std::int64_t> crossing(const PlanReport& report, const method::CostModel& model,
                                     double ratio) {
    method::Problem problem = report.problem;
    const base::Extents& n = problem.scene;
    const bool volume = n.z > 1;
    const std::int64_t longest = std::min({n.x, n.y, volume ? n.z : n.x});
    const auto fourierWins = [&](std::int64_t side) {
        problem.templ = {side, side, volume ? side : 1};
        const Times times = timesOf(problem, report.limits, model);
        return times.fourier < times.direct * ratio;
    };
    std::int64_t direct = 1; // too small for a template: direct by definition
    std::int64_t fourier = 2;
    while (fourier <= longest && !fourierWins(fourier)) {
        direct = fourier;
        fourier *= 2;
    }
    if (fourier > longest) {
        return std::nullopt;
    }
    while (fourier - direct > 1) {
        const std::int64_t middle = (direct + fourier) / 2;
        (fourierWins(middle) ? fourier : direct) = middle;
    }
    return fourier;
}

} // namespace

CriticalSize criticalSize(const PlanReport& report, const method::CostModel& model) {
    CriticalSize size;
    size.predicted = crossing(report, model, 1);
    // How far off the predictions were, the best time of each family against its prediction.
    double direct = 0;
    double fourier = 0;
    for (const CandidateReport& row : report.candidates) {
        if (row.prediction && row.measuredMs && row.candidate.onProcessor()) {
            double& off = traitsOf(row.candidate).byDefinition ? direct : fourier;
            off = off > 0 ? off : *row.measuredMs / row.prediction->ms; // rows are in order of time
        }
    }
    if (direct > 0 && fourier > 0) {
        size.measured = crossing(report, model, direct / fourier);
    }
    return size;
}

} // namespace flcc::plan
