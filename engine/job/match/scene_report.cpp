// What the report of a job says of its inputs, groups and poses.

#include <algorithm>
#include <utility>

#include "engine/job/input/poses.h"
#include "engine/job/match/pose_run.h"
#include "engine/job/match/pruned_run.h"
#include "engine/job/match/scene_state.h"
#include "engine/job/output/export_files.h"
#include "engine/match/refine.h"

namespace flcc::job::detail {

void markPeaksOfTemplates(const Inputs& inputs, JobResult& result) {
    std::string scene; // its digest, once it is needed
    for (std::size_t i = 0; i < inputs.templates.size(); ++i) {
        const SceneImage& templ = *inputs.templates[i].image;
        const SceneImage& given = templ.finer ? *templ.finer : templ;
        const bool inMemory = given.madeOf != nullptr;
        const auto made = inMemory ? given.madeOf : readMadeOf(given.source);
        if (!made ||
            (!inMemory && imageDigest(base::viewOf(given.pixels)) != made->averageSha256)) {
            continue;
        }
        scene = scene.empty() ? imageDigest(base::viewOf(inputs.scene->pixels)) : scene;
        if (scene != made->sceneSha256) {
            continue;
        }
        const std::int64_t own =
            markMadeOf(*made, static_cast<int>(i), templ.extents(), result.peaks);
        if (own > 0) {
            addWarning(result, std::to_string(own) + " of " + std::to_string(result.peaks.size()) +
                                   " peaks lie where boxes of the template " + given.source +
                                   " were cut; their scores are too high, since the template holds "
                                   "their own noise (made_of in lists)");
        }
    }
}

void reportInputs(SceneState& s) {
    JobReport& report = s.result.report;
    if (s.stream.several()) {
        report.stream = {.scene = s.stream.scene(),
                         .scenes = s.stream.count(),
                         .source = s.inputs().scene->source,
                         .planOf = s.groups().front().planOf(),
                         .preparedOf = s.groups().front().preparedOf(),
                         .readAhead = {},
                         .inFlight = 1};
    }
    describeInputs(s.job, s.inputs(), report);
}

namespace {

void reportPoses(SceneState& s) {
    PosesReport poses = posesReport(s.inputs());
    if (s.result.report.poses) {
        poses.pruned = s.result.report.poses->pruned;
    }
    if (s.job.poses.refine && s.job.operation.traits().refinesByPixels) {
        const rotation::PoseBank& bank = *s.inputs().banks.front();
        poses.refineMs = match::refineMs(base::voxelCount(bank.templExtents()), bank.cover().flat);
    }
    double predicted = 0;
    double measured = 0;
    poses.batch = 0;
    for (const GroupRun& group : s.groups()) {
        const plan::CandidateReport* const chosen = group.report().plan.chosen();
        if (chosen == nullptr || !chosen->prediction) {
            s.result.report.poses = std::move(poses);
            return;
        }
        predicted += group.expectedMs();
        poses.batch = std::max<std::int64_t>(poses.batch, group.problem().templates);
        poses.kept += group.keptMembers();
        poses.done += group.doneMembers();
        poses.memoryBytes =
            std::max(poses.memoryBytes, chosen->prediction->hostBytes + group.besideBytes());
        measured += group.report().run ? group.report().run->executeMs.median : 0;
    }
    poses.predictedMs = predicted;
    poses.search = name(s.job.poses.search);
    poses.searches = s.stream.searches;
    if (poses.prunes()) {
        poses.memoryBytes = prunedBytes(s.inputs());
    } else if (!poses.searches.empty()) {
        SearchRow& row = poses.searches.front();
        row.predictedMs = predicted;
        row.measuredMs = measured > 0 ? std::optional(measured) : std::nullopt;
    }
    if (measured > 0 && poses.kept < poses.done) {
        poses.perSecond = 1000 * static_cast<double>(poses.done - poses.kept) / measured;
    }
    s.result.report.poses = std::move(poses);
}

} // namespace

void reportGroups(SceneState& s) {
    JobReport& report = s.result.report;
    const GroupReport& first = s.groups().front().report();
    report.plan = first.plan;
    report.besideBytes = first.besideBytes;
    for (const MatchStep& step : exhaustiveStrategy().steps) {
        if (step.expect != nullptr && step.in(s.job) && first.plan.chosen() != nullptr) {
            step.expect(s);
        }
    }
    if (!s.inputs().banks.empty()) {
        reportPoses(s);
    }
    if (s.groups().size() == 1) {
        report.map = first.map;
        return;
    }
    report.groups.clear();
    for (const GroupRun& group : s.groups()) {
        report.groups.push_back(group.report());
    }
}

} // namespace flcc::job::detail
