#include "engine/job/match/pruned_options.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/message.h"
#include "engine/job/output/output_table.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

void requireSearch(const Job& job) {
    if (!job.poses.prunes()) {
        return;
    }
    const auto wrong = [&](ErrorCode code, const std::string& reason) {
        throw Error(code, base::Message("search-option",
                                        "{--search " + std::string(name(job.poses.search)) + "} " +
                                            reason + ", or {--search exhaustive}"));
    };
    if (!job.poses.any()) {
        wrong(ErrorCode::CommandLine, "is for searches over poses; add {--rotations}, {--scales} "
                                      "or {--mirror}");
    }
    if (!job.minScore || !(*job.minScore > 0)) {
        wrong(ErrorCode::CommandLine, "leaves out what cannot reach a score; use {--min-score} "
                                      "with a number above 0");
    }
    if (job.falsePositives || job.zscore || job.null != match::NullTemplate::None) {
        wrong(ErrorCode::CommandLine, "computes no scores for {--false-positives}, {--zscore} and "
                                      "{--null}; use {--min-score} alone");
    }
    if (!job.operation.traits().prunes) {
        wrong(ErrorCode::CommandLine, "is for {--operation lcc}; use it");
    }
    if (job.extent != method::Extent::Valid || !job.sceneMask.empty() || job.partialPeaks) {
        wrong(ErrorCode::CommandLine, "takes placements that lie inside the scene; leave out "
                                      "{--extent}, {--scene-mask} and {--partial-peaks}");
    }
    if (job.preparation.polarity == Polarity::Both) {
        wrong(ErrorCode::CommandLine, "looks for one sign; leave out {--polarity both}");
    }
    if (job.handedness || job.searchStatistics) {
        wrong(ErrorCode::CommandLine, "computes no scores for {--handedness} and "
                                      "{--search-statistics}; leave them out");
    }
    if (job.method != "auto" || job.tile.x > 0 || !job.planReport.empty() ||
        job.audit == Audit::On) {
        wrong(ErrorCode::CommandLine, "has no methods to choose and no scores to check; leave out "
                                      "{--method}, {--tile}, {--plan} and {--audit}");
    }
    if (job.stream) {
        wrong(ErrorCode::CommandLine, "takes no stack; pass pictures by {--scene}");
    }
    if (!job.resume.empty()) {
        wrong(ErrorCode::CommandLine, "keeps no part of a search; leave out {--resume}");
    }
    if (job.device != "auto" && job.device != "cpu") {
        wrong(ErrorCode::CommandLine, "runs on the processor; leave out {--device}");
    }
    for (const OutputRow& row : outputTable()) {
        if (row.ofMap && !row.in(job).empty()) {
            wrong(ErrorCode::Problem,
                  "computes no map; leave out {" + std::string(row.option) + "}");
        }
    }
}

} // namespace flcc::job::detail
