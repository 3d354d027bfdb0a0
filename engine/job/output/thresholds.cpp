#include <cmath>

#include "engine/base/error.h"
#include "engine/job/input/channels.h"
#include "engine/job/input/masks.h"
#include "engine/job/options/common_options.h"
#include "engine/job/options/export_options.h"
#include "engine/job/options/options.h"
#include "engine/job/output/frame_outputs.h"
#include "engine/job/output/pruned_options.h"
#include "engine/job/report/text.h"
#include "engine/rotation/cover.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

void requireThreshold(const Job& job) {
    const method::OperationTraits& traits = job.operation.traits();
    const bool largest = traits.best == method::Best::Largest;
    if (largest ? job.maxScore.has_value() : job.minScore.has_value()) {
        throw Error(ErrorCode::CommandLine,
                    base::Message("threshold-of-other-operation",
                                  largest ? "operation {operation} lists its largest values; use "
                                            "{--min-score}, not {--max-score}"
                                          : "operation {operation} lists its smallest values; use "
                                            "{--max-score}, not {--min-score}",
                                  {{"operation", std::string(traits.name)}}));
    }
    const int chosen = (job.minScore || job.maxScore ? 1 : 0) + (job.falsePositives ? 1 : 0) +
                       (job.zscore ? 1 : 0);
    if (chosen > 1) {
        throw Error(ErrorCode::CommandLine,
                    base::Message("several-thresholds",
                                  "{--min-score}, {--false-positives} and {--zscore} each choose "
                                  "the threshold; give one of them"));
    }
    const bool lawAsked = job.falsePositives || job.zscore || job.null != match::NullTemplate::None;
    if (lawAsked && !traits.hasLaw) {
        throw Error(
            ErrorCode::CommandLine,
            base::Message("law-of-other-operation",
                          std::string("{--false-positives}, {--zscore} and {--null} need the law "
                                      "of the scores of lcc, which operation {operation} does not "
                                      "have; use ") +
                              (largest ? "{--min-score}" : "{--max-score}"),
                          {{"operation", std::string(traits.name)}}));
    }
    const std::optional<double>& given = largest ? job.minScore : job.maxScore;
    const bool within = !given || (*given >= traits.lowest && *given <= traits.highest);
    if (!within) {
        const bool open = std::isinf(traits.highest);
        const std::string option = largest ? "{--min-score}" : "{--max-score}";
        throw Error(ErrorCode::CommandLine,
                    base::Message("threshold-out-of-range",
                                  option + " must be a number from {least}" +
                                      (open ? " up" : " to {most}") + ", not \"{value}\"",
                                  {{"least", shortest(traits.lowest)},
                                   {"most", shortest(traits.highest)},
                                   {"value", shortest(*given)}}));
    }
}

void requireTruth(const Job& job) {
    if (job.truth.empty()) {
        if (!job.comparison.empty()) {
            throw Error(ErrorCode::CommandLine,
                        base::Message("comparison-without-truth",
                                      "{--comparison} needs true positions; add {--truth FILE}"));
        }
        if (!job.species.empty()) {
            throw Error(ErrorCode::CommandLine,
                        base::Message("species-without-truth",
                                      "{--species} needs true positions; add {--truth FILE}"));
        }
        return;
    }
    if (job.stream || !job.furtherScenes.empty()) {
        throw Error(ErrorCode::CommandLine,
                    base::Message("truth-of-several-scenes",
                                  "{--truth} is a list for one scene; compare the lists of frames "
                                  "or of several scenes one by one"));
    }
    if (!job.comparison.empty()) {
        (void)io::chosenListFormat(io::ListFormat::Auto, job.comparison, "--comparison");
    }
}

void requireSensible(const Job& job) {
    const auto wrong = [](const char* key, const std::string& pattern,
                          const std::string& value = {}) {
        throw Error(ErrorCode::CommandLine, base::Message(key, pattern, {{"value", value}}));
    };
    requireThreshold(job);
    requireChannels(job);
    requireShapes(job);
    if (job.repeat < 1) {
        wrong("option-value", "{--repeat} must be 1 or more, not {value}",
              std::to_string(job.repeat));
    }
    if (job.threads < 0) {
        wrong("option-value", "{--threads} must be 1 or more, not {value}",
              std::to_string(job.threads));
    }
    if (!(job.promise >= kLeastPromise && job.promise <= 1)) {
        wrong("option-value", "{--promise} must be a number from 1e-15 to 1, not {value}",
              shortest(job.promise));
    }
    if (job.maxOverlap && !(*job.maxOverlap >= 0 && *job.maxOverlap <= 1)) {
        wrong("option-value", "{--max-overlap} must be a number from 0 to 1, not {value}",
              shortest(*job.maxOverlap));
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
    if (job.slice && job.heatmap.empty() && job.exports.figure.empty() && !isPage(job.report)) {
        wrong("slice-without-heatmap",
              "{--slice} chooses a slice of the heatmap; add {--heatmap FILE.png} or leave out "
              "{--slice}");
    }
    requireExports(job);
    requireStream(job);
    (void)rotation::parseRotations(job.poses.rotations);
    (void)rotation::parseScales(job.poses.scales);
    if (!job.poses.symmetry.empty()) {
        (void)rotation::pointGroup(job.poses.symmetry);
        if (job.poses.rotations.empty()) {
            wrong("symmetry-without-rotations",
                  "{--symmetry} leaves out equal rotations; add {--rotations} or leave out "
                  "{--symmetry}");
        }
    }
    if (job.handedness && (!job.operation.traits().hasLaw || job.stream)) {
        wrong(
            "handedness-of-what",
            std::string("{--handedness} compares peaks of lcc in one scene; leave it out or use ") +
                (job.stream ? "one slice as {--region} X,Y,Z:W,H,1 without {--stream}"
                            : "{--operation lcc}"));
    }
    if (job.handedness && job.poses.mirror) {
        wrong("handedness-and-mirror",
              "{--mirror} searches both hands as one, and {--handedness} each on its own; leave "
              "out one of them");
    }
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
    requireSearch(job);
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
    requirePreparation(job.preparation);
    requireTruth(job);
    if (job.memoryBytes < 0) {
        wrong("option-value", "{--memory} must be positive, not {value}",
              std::to_string(job.memoryBytes));
    }
    for (const std::string& name : plannedOptions()) {
        if (!job.planReport.empty() && matchOptions().find(name)->get(job)) {
            refuseBesidePlan(name);
        }
    }
}

} // namespace flcc::job::detail
