#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/convolve_job.h"
#include "engine/job/features.h"
#include "engine/job/job.h"

namespace flcc::job {

/// A job of any kind.
using AnyJob = std::variant<Job, ConvolveJob, FeaturesJob>;

/// The command that runs the job: "match", "convolve" or "features".
[[nodiscard]] std::string_view commandOf(const AnyJob& job);

/// The job in the text of a job file, of the kind that the file names. **Errors**: as the function
/// of that kind.
[[nodiscard]] AnyJob anyFromJobFile(std::string_view text);
[[nodiscard]] std::string toJobFile(const AnyJob& job);

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

/// A command whose plain arguments stand for options: `convolve` and `features`.
struct JobCommand {
    std::string name;
    std::vector<CommandOption> options;
    std::vector<std::string> places; ///< options that plain arguments give, in order
    std::string usage; ///< what the plain arguments are: "a scene and a kernel: flcc-cli ..."
    /// The job that the text of a job file, if any, and then options by their names describe.
    /// **Errors**: CommandLine, also if a plain argument is missing; Input.
    std::function<AnyJob(const std::optional<std::string>& file,
                         const std::map<std::string, std::string>& values)>
        make;
};
[[nodiscard]] JobCommand convolveCommand();
[[nodiscard]] JobCommand featuresCommand();

} // namespace flcc::job
