#include "ui/match/flow/plan_key.h"

namespace flcc::ui {

job::Job planKey(const job::Job& whole) {
    const job::Job none;
    job::Job job = whole.asked();
    job.resume = whole.resume; // what is kept decides the candidate
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
    job.peaksUnknowns = none.peaksUnknowns;
    job.truth.clear();
    job.tolerance = none.tolerance;
    return job;
}

} // namespace flcc::ui
