#include "engine/job/detail/scene_work.h"

#include "engine/job/detail/outputs.h"

namespace flcc::job::detail {

void makeGroups(SceneWork& work, const Job& job, const WorkKind& kind,
                const std::stop_token& stop) {
    // What is prepared of several groups would have to stay beside what each of them needs.
    const bool one = work.inputs.groups.size() == 1;
    // What is repeated is timed, each run with all that it takes alone.
    const int runs = job.repeat == 1 ? static_cast<int>(work.inputs.groups.size()) : 1;
    const GroupRun::Wants wants{.keeps = kind.several && one,
                                .map = one && (kind.wantsMaps || needsMap(job)),
                                .runs = runs,
                                .hold = runs > 1 ? &work.hold : nullptr};
    for (const std::vector<int>& numbers : work.inputs.groups) {
        work.groups.emplace_back(job, work.inputs, numbers, wants, stop);
    }
}

} // namespace flcc::job::detail
