#include "engine/job/match/scene_work.h"

#include <algorithm>

#include "engine/job/output/outputs.h"

namespace flcc::job::detail {

void makeGroups(SceneWork& work, const Job& job, const WorkKind& kind,
                const std::stop_token& stop) {
    // With several groups, all prepared templates would have to stay in memory beside the data of
    // each group.
    const bool one = work.inputs.groups.size() == 1;
    // Repeated runs are timed, so each run includes everything that it needs.
    const int runs = job.repeat == 1 ? static_cast<int>(work.inputs.groups.size()) : 1;
    const GroupRun::Wants wants{.keeps = kind.several && one,
                                .map = one && (kind.wantsMaps || needsMap(job)),
                                .runs = runs,
                                .hold = runs > 1 ? &work.hold : nullptr};
    for (const std::vector<int>& numbers : work.inputs.groups) {
        work.groups.emplace_back(job, work.inputs, numbers, wants, stop);
    }
}

void describeInputs(const Job& job, const Inputs& inputs, JobReport& report) {
    report.inputs = inputs.reports;
    report.warnings = inputs.warnings;
    report.scene = inputs.scene->extents();
    report.channels = inputs.scene->channels;
    report.geometry = inputs.geometry;
    report.region = inputs.region;
    report.partialPeaks = job.partialPeaks;
    report.preparation = inputs.preparation;
    for (const TemplateInput& templ : inputs.templates) {
        report.templates.push_back(
            {templ.image->source, templ.extents(), base::pixelType(templ.image->pixels),
             method::supportCount(templ.view()), templ.masked, method::hasWeights(templ.view()),
             templ.form, templ.image->reference});
    }
}

void addWarning(JobResult& result, const std::string& sentence) {
    for (std::vector<std::string>* const list :
         {&result.notes, &result.warnings, &result.report.warnings}) {
        if (std::ranges::find(*list, sentence) == list->end()) {
            list->push_back(sentence);
        }
    }
}

void takeSearch(const GroupRun& group, JobResult& result) {
    result.search = group.searchMaps();
    result.report.search = group.searchReport();
    if (result.report.search && isAlike(*result.report.search)) {
        addWarning(result, likenessWarning(*result.report.search));
    }
}

} // namespace flcc::job::detail
