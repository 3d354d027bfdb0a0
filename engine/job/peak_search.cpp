#include "engine/job/peak_search.h"

#include "engine/base/error.h"
#include "engine/job/detail/inputs.h"

namespace flcc::job {

FoundPeaks searchPeaks(const JobResult& result, const Job& job,
                       const std::shared_ptr<const SceneImage>& scene,
                       const std::stop_token& stop) {
    if (!result.map || !result.report.map || result.cancelled) {
        throw base::Error(base::ErrorCode::Problem,
                          "peaks need a finished map; run the job again with other options");
    }
    // The images of the result serve as inputs; no file is read and no crop is cut.
    Job own = job;
    own.crops.clear();
    own.templates.clear();
    own.masks.clear();
    own.sceneMask.clear();
    own.templateOut.clear();
    const detail::Inputs inputs = detail::readInputs(
        own, {scene, result.templates, result.masks, result.sceneMask}, "", stop);
    if (stop.stop_requested()) {
        return {};
    }
    const MapReport& report = *result.report.map;
    const std::vector<int>& numbers = inputs.groups.front(); // templates of one extent have a map
    match::SearchedMap map{.templates = inputs.templViews(numbers),
                           .numbers = numbers,
                           .value = result.map->value.view(),
                           .status = result.map->status.view(),
                           .facts = report.facts,
                           .statistics = report.statistics,
                           .firstPlacement = method::firstPlacement(result.report.plan.problem),
                           .index = {},
                           .reduced = nullptr,
                           .operation = result.report.plan.problem.operation,
                           .exact = result.map->exact.view()};
    if (numbers.size() > 1) {
        map.statistics = match::bankStatistics(report.statistics, report.facts.scores);
        if (result.index) {
            map.index = result.index->view();
        }
    }
    FoundPeaks found;
    found.peaks = match::findPeaks(inputs.sceneView(), {map}, scene->geometry,
                                   detail::peakOptions(job), stop, &found.incomplete);
    detail::moveToScene(found.peaks, inputs);
    return found;
}

} // namespace flcc::job
