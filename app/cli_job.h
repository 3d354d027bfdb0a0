#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/any_job.h"

namespace flcc::app {

/// A job as a command line gives it.
struct GivenJob {
    job::AnyJob job;
    std::filesystem::path jobFile; ///< the job file that was read; empty without one
    std::filesystem::path saveJob;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};

/// Parses the options of match and plan. **Errors**: CommandLine, Input.
[[nodiscard]] GivenJob matchOf(const std::vector<std::string>& args);
/// Parses those of another command. **Errors**: CommandLine, Input.
[[nodiscard]] GivenJob jobOf(const job::JobCommand& command, const std::vector<std::string>& args);

/// Sets how much the program logs. Throws if one of `outputs`, or the saved job file, would replace
/// an input or another output. **Errors**: CommandLine; Output if the folder of the saved job file
/// does not exist.
void prepare(const GivenJob& given, std::vector<std::filesystem::path> outputs);
/// Writes the job file that is asked for.
void save(const GivenJob& given);
/// Says that a command was interrupted; the exit code.
[[nodiscard]] int interrupted();

/// Runs a job of any kind and prints its report; the exit code. **Errors**: as job::run().
[[nodiscard]] int runGiven(const GivenJob& given, const std::stop_token& stop);

} // namespace flcc::app
