#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/command_line.h"
#include "engine/job/convolve_job.h"
#include "engine/job/features.h"
#include "engine/job/job.h"

namespace flcc::job {

/// A job of any kind.
using AnyJob = std::variant<Job, ConvolveJob, FeaturesJob>;

/// The command that runs the job: "match", "convolve" or "features".
[[nodiscard]] std::string_view commandOf(const AnyJob& job);

/// The commands that run jobs: "match", "convolve", "features".
[[nodiscard]] std::vector<std::string> jobCommands();
/// The options of such a command, and those that all of them have beside their jobs.
[[nodiscard]] std::vector<CommandOption> optionsOf(std::string_view command);
[[nodiscard]] std::vector<CommandOption> commonOptions();

/// What stands on the command line of a job.
struct ParsedArguments {
    AnyJob job;
    std::filesystem::path jobFile; ///< the job file that was read; empty without one
    std::filesystem::path saveJob;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};
/// Reads the options of a command; `args` exclude the program and the command. The same table of
/// options serves both programs, job files and "copy as command line". An option replaces that of
/// the job file, and templates all templates of it. **Errors**: CommandLine, naming what is wrong;
/// Input for a job file that cannot be read.
[[nodiscard]] ParsedArguments parseArguments(std::string_view command,
                                             const std::vector<std::string>& args);

/// The value of an option of a Job, ConvolveJob or FeaturesJob as text; empty where none is set.
template <class J>
[[nodiscard]] std::optional<std::string> optionText(const J& job, std::string_view option);
/// The values of an option that may be repeated or not, as texts; none for the default.
template <class J>
[[nodiscard]] std::vector<std::string> optionValues(const J& job, std::string_view option);
/// Whether it is not the default.
template <class J> [[nodiscard]] bool isOptionSet(const J& job, std::string_view option);
/// Sets it; without a text, to the default. **Errors**: CommandLine.
template <class J>
void setOption(J& job, std::string_view option, const std::optional<std::string>& text);

/// The text that an option of a command has after it is set to `text`: of a size "4GiB" for
/// "4 GiB". **Errors**: CommandLine.
[[nodiscard]] std::optional<std::string> checkedOption(std::string_view command,
                                                       std::string_view option,
                                                       const std::optional<std::string>& text);

/// The job as options from which parseArguments makes an equal job; options with default values are
/// left out.
[[nodiscard]] std::vector<std::string> toArguments(const AnyJob& job);
/// The job as one quoted line for a shell: "flcc-cli match scene.mha ...".
[[nodiscard]] std::string toCommandLine(const AnyJob& job);

/// The job file: JSON whose keys are the long options, with the key "command" unless it is match.
[[nodiscard]] std::string toJobFile(const AnyJob& job);
/// The job in the text of a job file, of the kind that the file names. **Errors**: Input for a text
/// that is not JSON; CommandLine for an unknown key or an invalid value.
[[nodiscard]] AnyJob anyFromJobFile(std::string_view text);
/// The same of a match. **Errors**: CommandLine also for the job file of another command.
[[nodiscard]] Job fromJobFile(std::string_view text);
/// Reads the text of a job file. **Errors**: Input for a path that is not a readable regular file.
[[nodiscard]] std::string readJobFile(const std::filesystem::path& path);
/// The command that a job file is for: its key "command", or "match" without one. A text that is no
/// job file is left to the reader of that command, which says what is wrong.
[[nodiscard]] std::string jobFileCommand(std::string_view text);

[[nodiscard]] io::ProtectedFiles inputFiles(const AnyJob& job);
[[nodiscard]] std::vector<std::filesystem::path> outputFiles(const AnyJob& job);

/// What is left of a job of any kind when its outputs are written.
struct Outcome {
    enum class Text { Json, Summary, Verbose };

    bool cancelled = false; ///< nothing was written
    std::vector<std::string> notes;
    std::vector<std::string> warnings;       ///< the notes that report a run by other means
    std::function<std::string(Text)> report; ///< empty if cancelled
    /// The error with which a program ends although the outputs are written.
    std::optional<base::Error> failed;
};

/// Runs a job from files to files. **Errors**: as runJob(), runConvolve() and runFeatures().
[[nodiscard]] Outcome run(const AnyJob& job, const std::stop_token& stop = {},
                          JobSink* sink = nullptr);

} // namespace flcc::job
