#pragma once

#include <stop_token>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// Searches a scene in memory by a job that another one made: plans, computes and lists, and writes
/// nothing. Steps that search for other templates get it from the room that has it. **Errors**: as
/// runJob().
using SceneSearch = JobResult (*)(const Job&, const JobImages&, const std::stop_token&, JobSink&);

} // namespace flcc::job::detail
