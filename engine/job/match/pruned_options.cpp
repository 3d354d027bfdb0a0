#include "engine/job/match/pruned_options.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/output/output_table.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

namespace {

/// Why the options rule out leaving placements out; empty: they do not.
struct Reason {
    ErrorCode code = ErrorCode::CommandLine;
    std::string text{}; ///< goes on after the name of the search
};

Reason reasonAgainst(const Job& job) {
    if (!job.poses.any()) {
        return {.text = "is for searches over poses; add {--rotations}, {--scales} or {--mirror}"};
    }
    if (!job.minScore || !(*job.minScore > 0)) {
        return {.text = "leaves out what cannot reach a score; use {--min-score} with a number "
                        "above 0"};
    }
    if (job.falsePositives || job.zscore || job.null != match::NullTemplate::None) {
        return {.text = "computes no scores for {--false-positives}, {--zscore} and {--null}; use "
                        "{--min-score} alone"};
    }
    if (!job.operation.traits().prunes) {
        return {.text = "is for {--operation lcc}; use it"};
    }
    if (job.extent != method::Extent::Valid || !job.sceneMask.empty() || job.partialPeaks) {
        return {.text = "takes placements that lie inside the scene; leave out {--extent}, "
                        "{--scene-mask} and {--partial-peaks}"};
    }
    if (job.preparation.polarity == Polarity::Both) {
        return {.text = "looks for one sign; leave out {--polarity both}"};
    }
    if (job.handedness || job.searchStatistics) {
        return {.text = "computes no scores for {--handedness} and {--search-statistics}; leave "
                        "them out"};
    }
    if (job.method != "auto" || job.tile.x > 0 || !job.planReport.empty() ||
        job.audit == Audit::On) {
        return {.text = "has no methods to choose and no scores to check; leave out {--method}, "
                        "{--tile}, {--plan} and {--audit}"};
    }
    if (job.stream) {
        return {.text = "takes no stack; pass pictures by {--scene}"};
    }
    if (!job.resume.empty()) {
        return {.text = "keeps no part of a search; leave out {--resume}"};
    }
    if (job.device != "auto" && job.device != "cpu") {
        return {.text = "runs on the processor; leave out {--device}"};
    }
    for (const OutputRow& row : outputTable()) {
        if (row.ofMap && !row.in(job).empty()) {
            return {ErrorCode::Problem,
                    "computes no map; leave out {" + std::string(row.option) + "}"};
        }
    }
    return {};
}

} // namespace

void requireSearch(const Job& job) {
    if (!job.poses.prunes()) {
        return;
    }
    if (const Reason reason = reasonAgainst(job); !reason.text.empty()) {
        throw Error(reason.code,
                    base::Message("search-option", "{--search " +
                                                       std::string(name(job.poses.search)) + "} " +
                                                       reason.text + ", or {--search exhaustive}"));
    }
}

std::string againstPruning(const Job& job) {
    const std::string reason = reasonAgainst(job).text;
    return reason.empty() ? reason : "it " + base::Message("search-option", reason).text();
}

} // namespace flcc::job::detail
