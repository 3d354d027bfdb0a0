#pragma once

#include "engine/job/job.h"

namespace flcc::job::detail {

/// Throws for options of a job that its way of searching does not have. **Errors**: CommandLine
/// and, for outputs that need the map, Problem.
void requireSearch(const Job& job);

} // namespace flcc::job::detail
