#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// Runs one job on many files: `flcc-cli batch`. The exit code is kSomeFailed if files failed.
/// **Errors**: as job::runBatch().
[[nodiscard]] int batch(const std::vector<std::string>& args, const std::stop_token& stop);

inline constexpr int kSomeFailed = 9;

} // namespace flcc::app
