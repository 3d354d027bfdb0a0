#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli bench`: times the methods of a device, as a table and a file of rows; or, with
/// `--crossover FILE.png`, draws the method chosen over scene and template size. Returns the exit
/// code: 1 when a map that was timed is wrong. **Errors**: CommandLine, Device, Output.
[[nodiscard]] int bench(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
