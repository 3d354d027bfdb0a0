#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job {

/// Reads the options of `match` and `plan` into a job. The same table of options serves both
/// programs, the job file and "copy as command line". `args` excludes the program and the command.
/// An unknown option is an error that names it.
/// **Errors**: CommandLine.
struct ParsedArguments {
    Job job;
    std::filesystem::path jobFile; ///< the job file that was read; empty without one
    std::filesystem::path saveJob;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};
[[nodiscard]] ParsedArguments parseArguments(const std::vector<std::string>& args);

/// The job as options from which parseArguments makes an equal job; options with default values are
/// left out.
[[nodiscard]] std::vector<std::string> toArguments(const Job& job);
/// The job as one quoted line for a shell: "flcc-cli match scene.mha ...".
[[nodiscard]] std::string toCommandLine(const Job& job);

/// The job file: JSON whose keys are the long options. **Errors**: Input for a file that cannot be
/// read or parsed; CommandLine for an unknown key or an invalid value.
[[nodiscard]] std::string toJobFile(const Job& job);
[[nodiscard]] Job fromJobFile(std::string_view text);
/// Reads the text of a job file. **Errors**: Input for a path that is not a readable regular file.
[[nodiscard]] std::string readJobFile(const std::filesystem::path& path);

/// The command that a job file is for: its key "command", or "match" without one. A text that is no
/// job file is left to the reader of that command, which says what is wrong.
[[nodiscard]] std::string jobFileCommand(std::string_view text);

/// "X,Y[,Z]:W,H[,D]"; spaces may stand beside numbers. **Errors**: CommandLine.
[[nodiscard]] base::Box parseBox(std::string_view text);
/// "64", "64,32" or "64, 64, 32". **Errors**: CommandLine.
[[nodiscard]] base::Extents parseTile(std::string_view text);
/// "4GiB", "500 MB", "1048576". **Errors**: CommandLine.
[[nodiscard]] std::int64_t parseSize(std::string_view text);

/// The help text of the options of `match`.
[[nodiscard]] std::string argumentsHelp();

} // namespace flcc::job
