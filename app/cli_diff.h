#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli diff`; returns the exit code: 0 the same, 1 different. **Errors**: Error for an
/// invalid command line, list or image.
int diff(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
