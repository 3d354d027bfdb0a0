#pragma once

#include <string>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// Throws for options of a job that its way of searching does not have. **Errors**: CommandLine
/// and, for outputs that need the map, Problem.
void requireSearch(const Job& job);

/// Why the options of a job rule out leaving placements out, for users; empty if they do not.
[[nodiscard]] std::string againstPruning(const Job& job);

} // namespace flcc::job::detail
