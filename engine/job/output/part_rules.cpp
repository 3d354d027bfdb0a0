#include "engine/job/output/part_rules.h"

#include <string>

#include "engine/base/error.h"
#include "engine/job/input/channels.h"
#include "engine/job/input/masks.h"
#include "engine/job/options/common_options.h"
#include "engine/job/options/export_options.h"
#include "engine/job/options/options.h"
#include "engine/job/output/frame_outputs.h"
#include "engine/job/report/text.h"
#include "engine/rotation/cover.h"

namespace flcc::job::detail {

namespace {

[[noreturn]] void wrong(const char* key, const std::string& pattern,
                        const std::string& value = {}) {
    throw base::Error(base::ErrorCode::CommandLine,
                      base::Message(key, pattern, {{"value", value}}));
}

void requireResources(const Resources& part, const Repetition& repetition) {
    if (repetition.repeat < 1) {
        wrong("option-value", "{--repeat} must be 1 or more, not {value}",
              std::to_string(repetition.repeat));
    }
    if (part.threads < 0) {
        wrong("option-value", "{--threads} must be 1 or more, not {value}",
              std::to_string(part.threads));
    }
    if (part.memoryBytes < 0) {
        wrong("option-value", "{--memory} must be positive, not {value}",
              std::to_string(part.memoryBytes));
    }
}

/// A plan report decides all of this.
void requirePlan(const Job& job) {
    for (const std::string& name : plannedOptions()) {
        if (!job.planReport.empty() && !matchOptions().find(name)->valuesOf(job).empty()) {
            refuseBesidePlan(name);
        }
    }
}

void requireQuestion(const Job& job) {
    if (!(job.promise >= kLeastPromise && job.promise <= 1)) {
        wrong("option-value", "{--promise} must be a number from 1e-15 to 1, not {value}",
              shortest(job.promise));
    }
    if (!(job.minOverlap >= 0 && job.minOverlap <= 1)) {
        wrong("option-value", "{--min-overlap} must be a number from 0 to 1, not {value}",
              shortest(job.minOverlap));
    }
    if (job.region && job.extent != method::Extent::Valid) {
        wrong("region-and-extent",
              "{--region} needs panels that lie inside it; leave out {--region} or {--extent " +
                  std::string(method::name(job.extent)) + "}");
    }
}

void requirePoses(const Poses& poses) {
    (void)rotation::parseRotations(poses.rotations);
    (void)rotation::parseScales(poses.scales);
    if (!poses.symmetry.empty()) {
        (void)rotation::pointGroup(poses.symmetry);
        if (poses.rotations.empty()) {
            wrong("symmetry-without-rotations",
                  "{--symmetry} leaves out equal rotations; add {--rotations} or leave out "
                  "{--symmetry}");
        }
    }
}

void requireSums(const Job& job) {
    if (job.searchStatistics && !job.operation.traits().inScoreUnits) {
        wrong("search-statistics-of-other-operation",
              "{--search-statistics} is of scores of lcc, not of operation {value}; leave it out",
              std::string(job.operation.traits().name));
    }
    if (job.searchStatistics && job.stream) {
        wrong("search-statistics-of-stream",
              "{--search-statistics} is of one scene, but {--stream} searches every slice; search "
              "one slice as {--region} X,Y,Z:W,H,1 without {--stream}");
    }
}

} // namespace

void requireParts(const Job& job) {
    requireChannels(job);
    requireShapes(job);
    requireResources(job, job);
    requireQuestion(job);
    if (job.maxOverlap && !(*job.maxOverlap >= 0 && *job.maxOverlap <= 1)) {
        wrong("option-value", "{--max-overlap} must be a number from 0 to 1, not {value}",
              shortest(*job.maxOverlap));
    }
    requireStream(job);
    requirePoses(job.poses);
    requireSums(job);
    requirePreparation(job.preparation);
    requirePlan(job);
}

void requireOutputs(const Job& job) {
    if (job.slice && job.heatmap.empty() && job.exports.figure.empty() && !isPage(job.report)) {
        wrong("slice-without-heatmap",
              "{--slice} chooses a slice of the heatmap; add {--heatmap FILE.png} or leave out "
              "{--slice}");
    }
    requireExports(job);
    if (!job.resume.empty() && !job.poses.any()) {
        wrong("resume-without-rotations",
              "{--resume} keeps searches over rotations, scales or hands; add {--rotations} or "
              "leave out {--resume}");
    }
    if (!job.resume.empty() && job.repeat > 1) {
        wrong("resume-and-repeat",
              "{--repeat} times whole runs, and {--resume} goes on from a part of one; leave out "
              "one of them");
    }
}

} // namespace flcc::job::detail
