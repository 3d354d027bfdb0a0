#include "engine/job/result.h"

#include <algorithm>

namespace flcc::job {

namespace {

ResultEdit change(Result& result, PeaksEdit edit) {
    const JobReport& before = result.job->report;
    PeaksEdit undo{{result.job->peaks, before.peaksIncomplete, before.threshold}, result.settings};
    auto next = std::make_shared<JobResult>(*result.job);
    next->report.peaks = edit.found.peaks;
    next->report.peaksIncomplete = std::move(edit.found.incomplete);
    next->report.threshold = std::move(edit.found.threshold);
    next->peaks = std::move(edit.found.peaks);
    result.job = std::move(next);
    result.settings = std::move(edit.settings);
    return undo;
}

ResultEdit change(Result& result, const DecisionEdit& edit) {
    DecisionEdit undo;
    for (const auto& [key, decision] : edit.decisions) {
        undo.decisions.emplace_back(key, result.decisions.set(key, decision));
    }
    // One peak may be decided twice: the first decision before is the last one to come back.
    std::ranges::reverse(undo.decisions);
    return undo;
}

} // namespace

double thresholdOf(const Result& result) {
    const std::optional<ThresholdReport>& threshold = result.job->report.threshold;
    return threshold ? threshold->value : thresholdOf(result.settings);
}

ResultEdit apply(Result& result, ResultEdit edit) {
    return std::visit([&](auto&& one) { return change(result, std::forward<decltype(one)>(one)); },
                      std::move(edit));
}

} // namespace flcc::job
