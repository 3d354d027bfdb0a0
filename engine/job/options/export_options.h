#pragma once

#include <filesystem>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/options/option_table.h"

namespace flcc::job::detail {

/// The options of Job::exports.
[[nodiscard]] std::vector<Option<Job>> exportOptions();

/// The options of stacks; `J` is a job or a ListConversion.
template <class J> [[nodiscard]] std::vector<Option<J>> stackOptions();

/// Throws for a shape of boxes without a file for them. **Errors**: CommandLine.
void requireBoxes(const Exports& asked);

/// True for a report that is a page: ".html".
[[nodiscard]] bool isPage(const std::filesystem::path& report);

/// Throws for exports that a job cannot have. **Errors**: CommandLine.
void requireExports(const Job& job);

} // namespace flcc::job::detail
