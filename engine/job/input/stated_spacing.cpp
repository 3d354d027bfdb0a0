#include "engine/job/input/inputs.h"
#include "engine/job/input/world_axes.h"

namespace flcc::job {

base::Geometry statedGeometry(const SceneImage& image, const std::optional<base::Spacing>& spacing,
                              const std::optional<base::WorldAxes>& world) {
    const base::Geometry own = withAxes(image.geometry, world);
    return spacing ? base::withSpacing(own, *spacing, base::extentsOf(image.pixels)) : own;
}

void restate(JobResult& result, const std::optional<base::Spacing>& spacing,
             const std::optional<base::WorldAxes>& world) {
    // Not statedGeometry(): the result of one of several scenes has no pixels.
    const base::Geometry own = withAxes(result.scene->geometry, world);
    result.geometry = spacing ? base::withSpacing(own, *spacing, result.report.scene) : own;
    result.report.geometry = result.geometry;
    const base::Point corner = detail::pointOf(result.mapCorner);
    // Poses lie in larger boxes about the same centre.
    const base::Point half =
        detail::halfOf(result.report.templates.empty() ? result.report.plan.problem.templ
                                                       : result.report.templates.front().extents);
    result.mapGeometry = base::movedTo(
        result.geometry, {corner[0] + half[0], corner[1] + half[1], corner[2] + half[2]});
    for (std::vector<match::Peak>* peaks : {&result.peaks, &result.report.peaks}) {
        for (match::Peak& peak : *peaks) {
            peak.world = base::toWorld(result.geometry, peak.centre);
        }
    }
    for (FrameReport& frame : result.report.frames) {
        if (frame.best) {
            base::Point centre = frame.best->centre; // in its frame
            centre[2] = frame.frame;
            frame.best->world = base::toWorld(result.geometry, centre);
        }
    }
}

} // namespace flcc::job
