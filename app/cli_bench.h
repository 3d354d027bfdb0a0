#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli bench`: times the methods of a device, as a table and a file of rows that is written
/// after each; or, with `--crossover FILE.png`, draws the method chosen over scene and template
/// size, whose numbers FILE.json takes. Returns the exit code. **Errors**: CommandLine, Device,
/// also for rows that failed, Output, Internal for a map that was timed and is wrong.
[[nodiscard]] int bench(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
