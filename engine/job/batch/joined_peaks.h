#pragma once

#include <string>
#include <vector>

#include "engine/job/batch.h"

namespace flcc::job::detail {

/// Writes Batch::peaks: the lists of all finished files. **Errors**: CommandLine for a format that
/// does not name its tomogram; Output.
void writeJoinedPeaks(const Batch& batch, const std::vector<BatchRow>& rows);

/// Whether that list can be written. **Errors**: CommandLine.
void requireJoinable(const Batch& batch);

/// The report as JSON, without the lists.
[[nodiscard]] std::string rowsJson(const BatchReport& report);

} // namespace flcc::job::detail
