#pragma once

#include <string>
#include <vector>

#include "engine/job/options/option_table.h"
#include "engine/job/parts.h"

/// Rows that tables of several kinds of jobs have.
namespace flcc::job::detail::rows {

[[nodiscard]] Option<Common> scene(std::string name, std::string help);
/// One channel; a match also takes all of them.
[[nodiscard]] Option<Common> channel();
[[nodiscard]] Option<Common> frame();
/// Common::reading.
[[nodiscard]] Option<Common> orientation();
[[nodiscard]] Option<Common> image();
[[nodiscard]] Option<Common> part();
[[nodiscard]] Option<Common> spacing();
[[nodiscard]] Option<Common> world();
[[nodiscard]] Option<Common> threads();
[[nodiscard]] Option<Common> memory();
[[nodiscard]] Option<CommonOutputs> report(std::string value, std::string help);

[[nodiscard]] Option<PlannedJob> stream(std::string help);
[[nodiscard]] Option<PlannedJob> region(std::string help);
/// "auto" and `methods`.
[[nodiscard]] Option<PlannedJob> method(std::string help, const std::vector<std::string>& methods);
[[nodiscard]] Option<PlannedJob> tile();
[[nodiscard]] Option<PlannedJob> transforms();
[[nodiscard]] Option<PlannedJob> precision(std::string help);
[[nodiscard]] Option<PlannedJob> device(std::string help);
[[nodiscard]] Option<PlannedJob> planning();
[[nodiscard]] Option<PlannedJob> plan();
[[nodiscard]] Option<PlannedJob> repeat();

} // namespace flcc::job::detail::rows

namespace flcc::job::detail {

/// The options that a plan report decides; none of them may be combined with `plan`.
[[nodiscard]] const std::vector<std::string>& plannedOptions();

/// Lets options of one source replace a plan report and what it decides: the options of the command
/// line come after those of the job file, and win. **Errors**: CommandLine for both in one source.
void settlePlan(PlannedJob& job, const GivenOptions& given);

/// Throws that `option` cannot be combined with a plan report. **Errors**: CommandLine.
[[noreturn]] void refuseBesidePlan(const std::string& option);

} // namespace flcc::job::detail
