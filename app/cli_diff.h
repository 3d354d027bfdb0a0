#pragma once

#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli diff`; returns the exit code. **Errors**: Error for an invalid command line or list.
int diff(const std::vector<std::string>& args);

} // namespace flcc::app
