#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli peaks`; returns the exit code. **Errors**: Error for an invalid command line or list.
int peaks(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
