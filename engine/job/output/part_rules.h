#pragma once

#include "engine/job/job.h"

namespace flcc::job::detail {

/// Throws for invalid values of the parts of a job, and for parts that exclude each other. The
/// rules of a step stand with the step. **Errors**: CommandLine; Problem as requireChannels().
void requireParts(const Job& job);

/// Throws for outputs that exclude each other or say nothing. **Errors**: CommandLine.
void requireOutputs(const Job& job);

} // namespace flcc::job::detail
