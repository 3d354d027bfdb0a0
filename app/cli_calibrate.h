#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli calibrate`: measures this machine and saves the cost model for later plans. Returns
/// the exit code. **Errors**: CommandLine.
[[nodiscard]] int calibrate(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
