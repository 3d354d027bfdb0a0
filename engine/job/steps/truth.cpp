#include "engine/job/steps/truth.h"

#include "engine/base/error.h"
#include "engine/io/peak_file.h"
#include "engine/job/output/outputs.h"
#include "engine/job/report/text_file.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

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

io::PositionList readTruth(const Job& job, const Inputs& inputs) {
    io::ListPlace place;
    place.scene = inputs.scene->source;
    place.extents = inputs.scene->extents();
    place.geometry = inputs.geometry;
    place.unknowns = job.peaksUnknowns;
    io::PositionList list = readPositions(job.truth, io::ListFormat::Auto, place);
    requireSameScene(list, place.extents, job.truth.string());
    requireSameSpacing(list, place.geometry, job.truth.string());
    if (!job.species.empty() && job.species.size() != inputs.templates.size()) {
        throw base::Error(
            base::ErrorCode::Problem,
            base::Message("species-count",
                          "{--species} must be given once for each of the {templates} templates, "
                          "not {given} times",
                          {{"templates", std::to_string(inputs.templates.size())},
                           {"given", std::to_string(job.species.size())}}));
    }
    std::vector<base::Point> references;
    for (const TemplateInput& templ : inputs.templates) {
        references.push_back(templ.image->toReferenceVoxel());
    }
    takeTemplates(list, inputs.templates.front().extents(), references);
    return list;
}

InputReport truthReport(const Job& job) {
    return {.role = "truth",
            .path = job.truth.string(),
            .sha256 = io::textDigest(readTextFile(job.truth, "list"))};
}

std::shared_ptr<const ComparedLists> comparedWithTruth(const Job& job, const JobResult& result,
                                                       const io::PositionList& truth) {
    auto lists = std::make_shared<ComparedLists>(
        compared(io::peakList(result.peaks, peakContext(job, result)), truth, job.tolerance,
                 job.operation.traits().best == method::Best::Smallest));
    lists->nameA = "the peaks";
    lists->nameB = job.truth.string();
    return lists;
}

} // namespace flcc::job::detail
