#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli calibrate`: measures this machine and keeps what it learns. Returns the exit code.
/// **Errors**: CommandLine.
[[nodiscard]] int calibrate(const std::vector<std::string>& args, const std::stop_token& stop);

/// `flcc-cli bench --crossover FILE.png`: the method chosen over scene and template size, as a
/// picture. Returns the exit code. **Errors**: CommandLine, Output.
[[nodiscard]] int bench(const std::vector<std::string>& args);

} // namespace flcc::app
