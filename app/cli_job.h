#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/io/protected_files.h"
#include "engine/job/command_option.h"

namespace flcc::app {

/// A command that runs a job: `convolve` or `features`.
struct JobCommand {
    std::string name;
    std::vector<job::CommandOption> options;
    std::vector<std::string> places; ///< options that plain arguments give, in order
    std::string usage; ///< what the plain arguments are: "a scene and a kernel: flcc-cli ..."
};

/// The arguments of such a command.
struct JobArguments {
    std::map<std::string, std::string> values; ///< by the option's name without dashes
    std::filesystem::path jobFile;             ///< the job file to read; empty without one
    std::filesystem::path saveJob;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};

/// Splits `args` and sets how much the program logs. **Errors**: CommandLine.
[[nodiscard]] JobArguments jobArgumentsOf(const JobCommand& command,
                                          const std::vector<std::string>& args);

/// Throws if an output of the job, the saved job file included, would replace an input or another
/// output. **Errors**: CommandLine; Output if the folder of the saved job file does not exist.
void requireOwnFiles(const JobArguments& arguments, io::ProtectedFiles inputs,
                     std::vector<std::filesystem::path> outputs);

} // namespace flcc::app
