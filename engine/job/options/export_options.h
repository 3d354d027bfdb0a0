#pragma once

#include <filesystem>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/options/option_table.h"

namespace flcc::job::detail {

/// The options of Job::exports.
[[nodiscard]] std::vector<Option<Job>> exportOptions();

/// Those of boxes alone, of anything that has `exports`: Job, ListConversion.
template <class Owner> [[nodiscard]] std::vector<Option<Owner>> boxOptions();

/// Throws for options of boxes that no file has. **Errors**: CommandLine.
void requireBoxFiles(const Exports& asked);

/// True for a report that is a page: ".html".
[[nodiscard]] bool isPage(const std::filesystem::path& report);

/// Throws for exports that a job cannot have. **Errors**: CommandLine.
void requireExports(const Job& job);

} // namespace flcc::job::detail
