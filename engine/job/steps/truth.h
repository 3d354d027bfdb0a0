#pragma once

#include <memory>

#include "engine/job/input/inputs.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

/// Throws for a comparison that has nothing to compare, and where there are several lists.
/// **Errors**: CommandLine.
void requireTruth(const Job& job);

/// The list of Job::truth in the scene of `inputs`. **Errors**: as readPositions(); Problem for a
/// list of a scene with other extents.
[[nodiscard]] io::PositionList readTruth(const Job& job, const Inputs& inputs);

/// The file of Job::truth among the inputs.
[[nodiscard]] InputReport truthReport(const Job& job);

/// The peaks of `result` beside the true positions. **Errors**: as compared().
[[nodiscard]] std::shared_ptr<const ComparedLists>
comparedWithTruth(const Job& job, const JobResult& result, const io::PositionList& truth);

} // namespace flcc::job::detail
