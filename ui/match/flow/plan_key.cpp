#include "ui/match/flow/plan_key.h"

namespace flcc::ui {

job::Job planKey(job::Job job) {
    const job::Job none;
    job.minScore = none.minScore;
    job.maxScore = none.maxScore;
    job.falsePositives = none.falsePositives;
    job.zscore = none.zscore;
    job.null = none.null;
    job.maxPeaks = none.maxPeaks;
    job.minDistance = none.minDistance;
    job.distanceUnit = none.distanceUnit;
    job.maxOverlap = none.maxOverlap;
    job.audit = none.audit;
    job.partialPeaks = none.partialPeaks;
    const bool asks = job.poses.rotations.starts_with("auto"); // for a step of some length
    if (!job.preparation.filters() && !asks) {                 // whose lengths it converts
        job.spacing = none.spacing;
    }
    job.world = none.world;
    job.map.clear();
    job.status.clear();
    job.index.clear();
    job.searchMaps.clear();
    job.peaks.clear();
    job.peaksFormat = none.peaksFormat;
    job.peaksUnknowns = none.peaksUnknowns;
    job.truth.clear();
    job.tolerance = none.tolerance;
    job.comparison.clear();
    job.report.clear();
    job.heatmap.clear();
    job.exports = {};
    job.templateOut.clear();
    return job;
}

} // namespace flcc::ui
