#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace flcc::bench {

/// Writes the rows of a table of flcc-bench to `file` in the form that resultsPage() reads, with
/// the machine and the date of today. What `file` already says of the same rows beside their times
/// stays: goals, and which of them share a line of the page.
///
/// `table` is the option of the table, "--grid"; `command` repeats it.
void record(const std::filesystem::path& file, std::string_view table, const nlohmann::json& rows,
            const std::string& command, int threads);

} // namespace flcc::bench
