#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// Runs the command in `args` (the program's name excluded) and returns its exit code. Results go
/// to standard output, progress and notes to standard error.
/// **Errors**: base::Error with the exit code.
[[nodiscard]] int runCommand(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
