#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/detail/group_run.h"
#include "engine/job/detail/inputs.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

/// What a scene is computed from, and by. Stays where it is: groups refer to the inputs.
struct SceneWork {
    SceneWork() = default;
    SceneWork(const SceneWork&) = delete;
    SceneWork& operator=(const SceneWork&) = delete;

    Inputs inputs;
    method::SceneHold hold; ///< between the runs of the groups
    std::vector<GroupRun> groups;
    double readMs = 0; ///< for both
};

/// How the scenes of a job are worked on.
struct WorkKind {
    bool several = false;   ///< there is more than one
    bool wantsMaps = false; ///< somebody looks at maps
};

/// Makes the groups of `work`, which has its inputs; they mean nothing when stopped. `job` must
/// live as long.
void makeGroups(SceneWork& work, const Job& job, const WorkKind& kind, const std::stop_token& stop);

} // namespace flcc::job::detail
