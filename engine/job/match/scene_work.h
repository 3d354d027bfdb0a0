#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/input/inputs.h"
#include "engine/job/job.h"
#include "engine/job/match/group_run.h"

namespace flcc::job::detail {

/// The inputs of a scene and the runs of its groups. Not movable: groups refer to the inputs.
struct SceneWork {
    SceneWork() = default;
    SceneWork(const SceneWork&) = delete;
    SceneWork& operator=(const SceneWork&) = delete;

    Inputs inputs;
    method::SceneHold hold; ///< keeps scene data on one device between the runs of the groups
    std::vector<GroupRun> groups;
    double readMs = 0; ///< time for reading both
};

/// How the scenes of a job are processed.
struct WorkKind {
    bool several = false;   ///< the job has several scenes
    bool wantsMaps = false; ///< maps are displayed
};

/// Makes the groups of `work` from its inputs. If cancelled, they are unspecified. `job` must
/// outlive `work`.
void makeGroups(SceneWork& work, const Job& job, const WorkKind& kind, const std::stop_token& stop);

/// Writes to a report what is known before the plan.
void describeInputs(const Job& job, const Inputs& inputs, JobReport& report);

/// Marks peaks of templates that are averages of boxes at these peaks (Peak::madeOf), and warns.
void markPeaksOfTemplates(const Inputs& inputs, JobResult& result);

/// Adds a warning to the result, its notes and its report, once.
void addWarning(JobResult& result, const std::string& sentence);

/// Adds the statistics of a search that has run, with a warning where z hides the objects.
void takeSearch(const GroupRun& group, JobResult& result);

} // namespace flcc::job::detail
