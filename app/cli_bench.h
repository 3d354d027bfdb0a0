#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli bench`: times the methods of a device, prints a table, and with `--report` writes all
/// rows to a file after each row. With `--crossover`, draws the method chosen for each size of
/// scene and template (FILE.png) or writes the numbers of that map (FILE.json). With `--figure`,
/// computes a figure of the FLCC paper and writes it to `--output`. Returns the exit code.
/// **Errors**: CommandLine; Device, also if a row failed; Output; Internal if a timed map has wrong
/// scores.
[[nodiscard]] int bench(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
