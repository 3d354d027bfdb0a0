#include "ui/plan/plan_fixes.h"

#include <QCoreApplication>

#include "engine/job/report.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

QString fixText(const char* text) {
    return QCoreApplication::translate("flcc::ui::PlanCard", text);
}

/// Rounded up by less than a sixtieth, so that field and button are readable.
std::int64_t roundedUp(std::int64_t bytes) {
    std::int64_t unit = std::int64_t{1} << 14;
    while (bytes / unit >= 128) {
        unit *= 2;
    }
    return (bytes + unit - 1) / unit * unit;
}

} // namespace

std::vector<PlanFix> planFixes(const plan::PlanReport& plan, const job::Job& job,
                               const std::optional<base::Box>& box, bool mayBin) {
    std::vector<PlanFix> fixes;
    const auto add = [&fixes](const QString& text, const QString& tip, auto change) {
        fixes.push_back({text, tip, change});
    };
    const std::optional<std::int64_t> least = job::leastMemory(plan);
    if (job.memoryBytes > 0 && least && *least > plan.limits.memoryBytes) {
        const std::int64_t limit = roundedUp(*least);
        add(fixText("Limit %1").arg(bytesText(limit)),
            fixText("Raises the memory limit to this value"),
            [limit](job::Job& fixed) { fixed.memoryBytes = limit; });
    }
    if (box && !job.region && base::contains(plan.problem.scene, *box) &&
        *box != base::Box{{0, 0, 0}, plan.problem.scene} &&
        base::contains(box->extents, {{0, 0, 0}, plan.problem.templ})) {
        add(fixText("Search the box only"),
            fixText("Searches only the box that is drawn in the views"),
            [box](job::Job& fixed) { fixed.region = box; });
    }
    // Of a smaller template too little would be left.
    const auto halves = [](std::int64_t n) { return n == 1 || n >= 6; };
    const base::Extents& templ = plan.problem.templ;
    if (mayBin && !job.stream && least && *least > plan.limits.memoryBytes && halves(templ.x) &&
        halves(templ.y) && halves(templ.z)) {
        fixes.push_back({fixText("Bin by 2"),
                         fixText("Makes a scene and templates of half the resolution: the means of "
                                 "2 voxels along each axis. The scene of now is kept in the list"),
                         {}});
    }
    if (job.region) {
        add(fixText("Search all of the scene"), fixText("Removes the region"),
            [](job::Job& fixed) { fixed.region.reset(); });
    }
    const job::Job usual;
    if (job.method != usual.method) {
        add(fixText("Method: Auto"), fixText("Lets the plan choose the method"),
            [](job::Job& fixed) { fixed.method = job::Job{}.method; });
    }
    if (job.tile != usual.tile) {
        add(fixText("Tile: auto"), fixText("Lets the plan choose the tile"),
            [](job::Job& fixed) { fixed.tile = job::Job{}.tile; });
    }
    if (job.transforms != usual.transforms) {
        add(fixText("Transforms: Auto"), fixText("Lets the plan choose the transforms"),
            [](job::Job& fixed) { fixed.transforms = job::Job{}.transforms; });
    }
    if (job.device != usual.device) {
        add(fixText("Device: Auto"), fixText("Lets the plan choose the device"),
            [](job::Job& fixed) { fixed.device = job::Job{}.device; });
    }
    if (job.statistics != usual.statistics) {
        add(fixText("Sums: Auto"), fixText("Lets the method choose how it computes sums"),
            [](job::Job& fixed) { fixed.statistics = job::Job{}.statistics; });
    }
    if (job.precision != usual.precision) {
        add(fixText("Precision: Single"),
            fixText("Computes in single precision, with half the memory"),
            [](job::Job& fixed) { fixed.precision = job::Job{}.precision; });
    }
    if (!job.planReport.empty()) {
        add(fixText("Plan anew"), fixText("Plans instead of replaying the plan report"),
            [](job::Job& fixed) { fixed.planReport.clear(); });
    }
    return fixes;
}

} // namespace flcc::ui
