#pragma once

#include <filesystem>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/options/option_table.h"

namespace flcc::job::detail {

/// The options of Job::exports.
[[nodiscard]] std::vector<Option<Job>> exportOptions();

/// True for a report that is a page: ".html".
[[nodiscard]] bool isPage(const std::filesystem::path& report);

/// Throws for exports that a job cannot have. **Errors**: CommandLine.
void requireExports(const Job& job);

} // namespace flcc::job::detail
