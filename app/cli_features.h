#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli features IMAGE [options]`. Returns the exit code. **Errors**: base::Error.
[[nodiscard]] int features(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
