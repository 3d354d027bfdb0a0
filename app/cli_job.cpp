#include "app/cli_job.h"

#include "app/cli_options.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/io/atomic_file.h"
#include "engine/job/job.h"

namespace flcc::app {

JobArguments jobArgumentsOf(const JobCommand& command, const std::vector<std::string>& args) {
    std::vector<KnownOption> known{{"--job", "FILE"},
                                   {"--save-job", "FILE"},
                                   {"--json", ""},
                                   {"--quiet", ""},
                                   {"--verbose", ""}};
    for (const job::CommandOption& option : command.options) {
        known.push_back({"--" + option.name, option.value});
    }
    const auto [options, plain] = argumentsOf(command.name, known, args);
    JobArguments parsed;
    for (const auto& [name, value] : options) {
        if (name == "--job") {
            parsed.jobFile = value;
        } else if (name == "--save-job") {
            parsed.saveJob = value;
        } else if (name == "--json") {
            parsed.json = true;
        } else if (name == "--quiet") {
            parsed.quiet = true;
        } else if (name == "--verbose") {
            parsed.verbose = true;
        } else {
            parsed.values[name.substr(2)] = value;
        }
    }
    if (parsed.quiet && parsed.verbose) {
        refuse("--quiet and --verbose cannot be used together");
    }
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (i >= command.places.size()) {
            refuse("unexpected argument \"" + base::excerpt(plain[i]) + "\"; " + command.name +
                   " takes " + command.usage);
        }
        const std::string& place = command.places[i];
        if (!parsed.values.try_emplace(place, plain[i]).second) {
            refuse("the " + place + " is given twice: as --" + place + " and as \"" +
                   base::excerpt(plain[i]) + "\"");
        }
    }
    if (parsed.verbose) {
        base::setLogLevel(base::LogLevel::Info);
    } else if (parsed.quiet) {
        base::setLogLevel(base::LogLevel::Error);
    }
    return parsed;
}

void requireOwnFiles(const JobArguments& arguments, io::ProtectedFiles inputs,
                     std::vector<std::filesystem::path> outputs) {
    if (!arguments.saveJob.empty()) {
        requireFolderOf(arguments.saveJob);
        inputs.requireOther(arguments.saveJob);
        // The job file that was read may be saved again.
        if (io::fileIdentity(arguments.saveJob) != io::fileIdentity(arguments.jobFile)) {
            outputs.push_back(arguments.saveJob);
        }
    }
    inputs.add(arguments.jobFile);
    job::requireOwnFiles(inputs, outputs);
}

} // namespace flcc::app
