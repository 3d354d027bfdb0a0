#pragma once

#include <string>

namespace flcc::job {

/// An option of `convolve` or `features`, beside `--job`, `--save-job`, `--json`, `--quiet` and
/// `--verbose`, which every command with job files has.
struct CommandOption {
    std::string name;  ///< without dashes; the key in a job file
    std::string value; ///< placeholder in the help
    std::string help;
};

} // namespace flcc::job
