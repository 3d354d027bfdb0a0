#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/any_job.h"

namespace flcc::app {

/// Sets how much the program logs. Throws if one of `outputs`, or the saved job file, would replace
/// an input or another output. **Errors**: CommandLine; Output if the folder of the saved job file
/// does not exist.
void prepare(const job::ParsedArguments& given, std::vector<std::filesystem::path> outputs);
/// Writes the job file that is asked for.
void save(const job::ParsedArguments& given);
/// Says that a command was interrupted; the exit code.
[[nodiscard]] int interrupted();

/// Runs a job of any kind and prints its report; the exit code. **Errors**: as job::run().
[[nodiscard]] int runGiven(const job::ParsedArguments& given, const std::stop_token& stop);

} // namespace flcc::app
