// What the report of a job says of its inputs, groups and poses.

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "engine/job/input/poses.h"
#include "engine/job/match/pose_run.h"
#include "engine/job/match/pruned_run.h"
#include "engine/job/match/scene_runner.h"
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

void SceneRunner::reportInputs() {
    JobReport& report = m_result.report;
    if (m_stream.several()) {
        report.stream = {.scene = m_stream.scene(),
                         .scenes = m_stream.count(),
                         .source = inputs().scene->source,
                         .planOf = groups().front().planOf(),
                         .preparedOf = groups().front().preparedOf(),
                         .readAhead = {},
                         .inFlight = 1};
    }
    describeInputs(m_job, inputs(), report);
}

void SceneRunner::reportGroups() {
    JobReport& report = m_result.report;
    const GroupReport& first = groups().front().report();
    report.plan = first.plan;
    report.besideBytes = first.besideBytes;
    report.handsPredictedMs.reset();
    if (m_job.handedness && first.plan.chosen() != nullptr) {
        report.handsPredictedMs =
            std::transform_reduce(groups().begin(), groups().end(), 0.0, std::plus(),
                                  [](const GroupRun& group) { return group.handsMs(); });
    }
    if (!inputs().banks.empty()) {
        reportPoses();
    }
    if (groups().size() == 1) {
        report.map = first.map;
        return;
    }
    report.groups.clear();
    for (const GroupRun& group : groups()) {
        report.groups.push_back(group.report());
    }
}

void SceneRunner::reportPoses() {
    PosesReport poses = posesReport(inputs());
    if (m_result.report.poses) {
        poses.pruned = m_result.report.poses->pruned;
    }
    if (m_job.poses.refine && m_job.operation.traits().refinesByPixels) {
        const rotation::PoseBank& bank = *inputs().banks.front();
        poses.refineMs = match::refineMs(base::voxelCount(bank.templExtents()), bank.cover().flat);
    }
    double predicted = 0;
    double measured = 0;
    poses.batch = 0;
    for (const GroupRun& group : groups()) {
        const plan::CandidateReport* const chosen = group.report().plan.chosen();
        if (chosen == nullptr || !chosen->prediction) {
            m_result.report.poses = std::move(poses);
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
    poses.search = name(m_job.poses.search);
    if (m_job.poses.prunes() && !m_stream.prunedGaveUp) {
        poses.memoryBytes = prunedBytes(inputs());
    }
    if (measured > 0 && poses.kept < poses.done) {
        poses.perSecond = 1000 * static_cast<double>(poses.done - poses.kept) / measured;
    }
    m_result.report.poses = std::move(poses);
}

} // namespace flcc::job::detail
