#pragma once

#include <string>

#include "engine/job/report.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job::detail {

namespace json {
[[nodiscard]] Json toJson(const StackReport& stack);
/// The average of a job with one template; null where nothing is averaged.
[[nodiscard]] Json averageJson(const std::vector<AverageReport>& averages);
/// Those of a job with several templates, one for each; null of others.
[[nodiscard]] Json averagesJson(const std::vector<AverageReport>& averages);
/// The job as its job file has it; null if it is not known.
[[nodiscard]] Json settingsJson(const std::string& jobFile);
} // namespace json

/// "Stack: particles.mrc, 28 boxes of 16x16x16 voxels ..." in lines; empty without exports.
[[nodiscard]] std::string exportsText(const JobReport& report);

} // namespace flcc::job::detail
