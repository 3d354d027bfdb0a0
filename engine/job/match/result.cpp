#include "engine/job/result.h"

#include <algorithm>
#include <limits>

#include "engine/job/stream/frame_stack.h"
#include "engine/match/list_comparison.h"

namespace flcc::job {

namespace {

/// The list without added peaks.
const std::vector<match::Peak>& foundPeaks(const Result& result) {
    return result.found ? *result.found : result.job->peaks;
}

/// Lists `found` and the added peaks that are not among them.
void list(Result& result, std::vector<match::Peak> found) {
    std::vector<match::Peak> peaks = found;
    for (const match::Peak& each : result.added) {
        if (std::ranges::find(found, match::keyOf(each), match::keyOf) == found.end()) {
            peaks.push_back(each);
        }
    }
    if (peaks.size() > found.size()) {
        const method::Operation& operation = result.settings.operation;
        detail::bestFirst(peaks, operation.traits().best == method::Best::Largest);
    }
    result.found = result.added.empty()
                       ? nullptr
                       : std::make_shared<const std::vector<match::Peak>>(std::move(found));
    auto next = std::make_shared<JobResult>(*result.job);
    next->report.peaks = peaks;
    next->peaks = std::move(peaks);
    result.job = std::move(next);
}

ResultEdit change(Result& result, PeaksEdit edit) {
    const JobReport& before = result.job->report;
    PeaksEdit undo{{foundPeaks(result), before.peaksIncomplete, before.threshold}, result.settings};
    auto next = std::make_shared<JobResult>(*result.job);
    next->report.peaksIncomplete = std::move(edit.found.incomplete);
    next->report.threshold = std::move(edit.found.threshold);
    result.job = std::move(next);
    result.settings = std::move(edit.settings);
    list(result, std::move(edit.found.peaks));
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

ResultEdit change(Result& result, AddedEdit edit) {
    std::vector<match::Peak> found = foundPeaks(result);
    AddedEdit undo{std::move(result.added), {}};
    undo.decisions = std::get<DecisionEdit>(change(result, edit.decisions));
    result.added = std::move(edit.added);
    list(result, std::move(found));
    return undo;
}

} // namespace

double thresholdOf(const Result& result) {
    const std::optional<ThresholdReport>& threshold = result.job->report.threshold;
    return threshold ? threshold->least() : thresholdOf(result.settings);
}

match::DecisionList carriedDecisions(const Result& earlier, const JobResult& now) {
    std::vector<match::ComparedPosition> before;
    std::vector<match::Decision> decisions;
    const JobResult& job = *earlier.job;
    for (const auto& [key, decision] : earlier.decisions.all()) {
        const auto listed = std::ranges::find(job.peaks, key, match::keyOf);
        const auto templ = static_cast<std::size_t>(key.templ);
        if (listed == job.peaks.end() && templ >= job.templates.size()) {
            continue;
        }
        const base::Extents m =
            templ < job.templates.size() ? job.templates[templ]->extents() : base::Extents{1, 1, 1};
        const auto middle = [](std::int64_t corner, std::int64_t extent) {
            return static_cast<double>(corner) + static_cast<double>(extent - 1) / 2;
        };
        before.push_back({listed != job.peaks.end()
                              ? listed->centre
                              : base::Point{middle(key.corner.x, m.x), middle(key.corner.y, m.y),
                                            middle(key.corner.z, m.z)},
                          {}});
        decisions.push_back(decision);
    }
    std::int64_t edge = std::numeric_limits<std::int64_t>::max();
    for (const auto& templ : now.templates) {
        const base::Extents m = templ->extents();
        edge = std::min({edge, m.x, m.y, m.z > 1 ? m.z : edge});
    }
    match::ComparisonOptions options;
    options.tolerance = std::clamp(static_cast<double>(edge) / 4, 1.0, 3.0);
    options.voxel[2] = now.report.frames.empty() ? 1 : 2 * options.tolerance;
    std::vector<match::ComparedPosition> places;
    for (const match::Peak& peak : now.peaks) {
        places.push_back({peak.centre, {}});
    }
    match::DecisionList carried;
    for (const match::MatchedPair& pair : match::compareLists(places, before, options).pairs) {
        carried.set(match::keyOf(now.peaks[static_cast<std::size_t>(pair.a)]),
                    decisions[static_cast<std::size_t>(pair.b)]);
    }
    return carried;
}

ResultEdit apply(Result& result, ResultEdit edit) {
    return std::visit([&](auto&& one) { return change(result, std::forward<decltype(one)>(one)); },
                      std::move(edit));
}

} // namespace flcc::job
