#include "engine/job/peak_search.h"

#include "engine/base/error.h"
#include "engine/job/input/inputs.h"
#include "engine/job/stream/frame_stack.h"
#include "engine/job/stream/frames.h"

namespace flcc::job {

namespace {

using IndexView = base::View<const std::int32_t>;

/// A map, or the part of it that is searched.
struct MapViews {
    base::View<const float> value;
    base::View<const base::Status> status;
    base::View<const double> exact;
    IndexView index;
};

/// The map of one frame of a stream.
MapViews sliceOf(const JobResult& result, int frame) {
    const method::MatchMap& map = *result.map;
    base::Box slice{{0, 0, frame}, map.value.extents()};
    slice.extents.z = 1;
    MapViews views{.value = map.value.view().part(slice),
                   .status = map.status.view().part(slice),
                   .exact = map.exact.view(),
                   .index = {}};
    if (map.exact.data() != nullptr) {
        views.exact = map.exact.view().part(slice);
    }
    if (result.index) {
        views.index = result.index->view().part(slice);
    }
    return views;
}

FoundPeaks searchMap(const JobResult& result, const MapReport& report, const Job& job,
                     const std::shared_ptr<const SceneImage>& scene, const MapViews& views,
                     const std::stop_token& stop) {
    const detail::Inputs inputs = detail::readInputs(
        job, {scene, result.templates, result.masks, result.sceneMask}, "", stop);
    if (stop.stop_requested()) {
        return {};
    }
    const std::vector<int>& numbers = inputs.groups.front(); // templates of one extent have a map
    match::SearchedMap map{.templates = inputs.templViews(numbers),
                           .numbers = numbers,
                           .value = views.value,
                           .status = views.status,
                           .facts = report.facts,
                           .statistics = report.statistics,
                           .firstPlacement = method::firstPlacement(result.report.plan.problem),
                           .index = {},
                           .reduced = nullptr,
                           .operation = result.report.plan.problem.operation,
                           .exact = views.exact};
    if (numbers.size() > 1) {
        map.statistics = match::bankStatistics(report.statistics, report.facts.scores);
        map.index = views.index;
    }
    FoundPeaks found;
    found.peaks = match::findPeaks(inputs.sceneView(), {map}, inputs.geometry,
                                   detail::peakOptions(job), stop, &found.incomplete);
    detail::moveToScene(found.peaks, inputs);
    return found;
}

} // namespace

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
    if (!job.stream) {
        const method::MatchMap& map = *result.map;
        return searchMap(result, *result.report.map, own, scene,
                         {.value = map.value.view(),
                          .status = map.status.view(),
                          .exact = map.exact.view(),
                          .index = result.index ? result.index->view() : IndexView{}},
                         stop);
    }
    own.stream = false;
    detail::Frames frames(job, scene, stop);
    FoundPeaks all;
    for (const FrameReport& row : result.report.frames) {
        const auto frame = frames.load(row.frame, stop);
        FoundPeaks found = searchMap(result, {row.statistics, row.facts}, own, frame,
                                     sliceOf(result, row.frame), stop);
        if (stop.stop_requested()) {
            return {};
        }
        detail::moveToFrame(found.peaks, row.frame);
        all.peaks.insert(all.peaks.end(), found.peaks.begin(), found.peaks.end());
        all.incomplete = all.incomplete.empty() ? found.incomplete : all.incomplete;
    }
    detail::bestFirst(all.peaks, job.operation.traits().best == method::Best::Largest);
    return all;
}

} // namespace flcc::job
