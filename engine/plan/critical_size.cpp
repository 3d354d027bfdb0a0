#include "engine/plan/detail/critical_size.h"

#include <algorithm>
#include <cmath>

#include "engine/plan/planner.h"

namespace flcc::plan {

namespace {

/// The best predicted times of the two kinds of methods, in milliseconds; infinite if every
/// candidate is refused.
struct Times {
    double direct = INFINITY;
    double fourier = INFINITY;
};

Times timesOf(const method::Problem& problem, const method::Limits& limits,
              const method::CostModel& model) {
    Times times;
    for (const method::Method* method : methods()) {
        if (method->onDevice() != nullptr || method->traits().savesMemory ||
            !method->refusal(problem).empty()) {
            continue; // a crossing between CPU and GPU would say nothing about template sizes
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

/// The smallest side for which a Fourier method is faster than `direct`, if the time of `direct`
/// over that of Fourier methods is `ratio` times as predicted. Empty if there is none.
std::optional<std::int64_t> crossing(const PlanReport& report, const method::CostModel& model,
                                     double ratio) {
    method::Problem problem = report.problem;
    problem.residual = {}; // not known of templates of other sizes
    const base::Extents& n = problem.scene;
    const bool volume = n.z > 1;
    const std::int64_t longest = std::min({n.x, n.y, volume ? n.z : n.x});
    const auto fourierWins = [&](std::int64_t side) {
        problem.templ = {side, side, volume ? side : 1};
        const Times times = timesOf(problem, report.limits, model);
        return times.fourier < times.direct * ratio;
    };
    std::int64_t direct = 1; // no template is as small, so `direct` counts as faster
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
    // The ratio of measured to predicted time of the fastest timed candidate of each kind.
    double direct = 0;
    double fourier = 0;
    for (const CandidateReport& row : report.candidates) {
        if (row.prediction && row.measuredMs && row.candidate.onProcessor() &&
            !traitsOf(row.candidate).axisByAxis) {
            double& off = traitsOf(row.candidate).byDefinition ? direct : fourier;
            off = off > 0 ? off : *row.measuredMs / row.prediction->ms; // rows are sorted by time
        }
    }
    if (direct > 0 && fourier > 0) {
        size.measured = crossing(report, model, direct / fourier);
    }
    return size;
}

} // namespace flcc::plan
