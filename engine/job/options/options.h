#pragma once

#include "engine/job/job.h"
#include "engine/job/options/option_table.h"

namespace flcc::job::detail {

/// The options of `match` and `plan`.
[[nodiscard]] const OptionTable<Job>& matchOptions();

/// Throws for a threshold of peaks that the job's operation does not have. **Errors**: CommandLine.
void requireThreshold(const Job& job);

/// Throws for invalid values of a job, or an invalid combination. **Errors**: CommandLine; Problem
/// as requireChannels().
void requireSensible(const Job& job);

} // namespace flcc::job::detail
