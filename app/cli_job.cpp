#include "app/cli_job.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/io/atomic_file.h"
#include "engine/job/arguments.h"

namespace flcc::app {

GivenJob matchOf(const std::vector<std::string>& args) {
    job::ParsedArguments parsed = job::parseArguments(args);
    return {std::move(parsed.job),
            std::move(parsed.jobFile),
            std::move(parsed.saveJob),
            parsed.json,
            parsed.quiet,
            parsed.verbose};
}

GivenJob jobOf(const job::JobCommand& command, const std::vector<std::string>& args) {
    std::vector<KnownOption> known{{"--job", "FILE"},
                                   {"--save-job", "FILE"},
                                   {"--json", ""},
                                   {"--quiet", ""},
                                   {"--verbose", ""}};
    for (const job::CommandOption& option : command.options) {
        known.push_back({"--" + option.name, option.value});
    }
    const auto [options, plain] = argumentsOf(command.name, known, args);
    GivenJob given;
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : options) {
        if (name == "--job") {
            given.jobFile = value;
        } else if (name == "--save-job") {
            given.saveJob = value;
        } else if (name == "--json") {
            given.json = true;
        } else if (name == "--quiet") {
            given.quiet = true;
        } else if (name == "--verbose") {
            given.verbose = true;
        } else {
            values[name.substr(2)] = value;
        }
    }
    if (given.quiet && given.verbose) {
        refuse("--quiet and --verbose cannot be used together");
    }
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (i >= command.places.size()) {
            refuse("unexpected argument \"" + base::excerpt(plain[i]) + "\"; " + command.name +
                   " takes " + command.usage);
        }
        const std::string& place = command.places[i];
        if (!values.try_emplace(place, plain[i]).second) {
            refuse("the " + place + " is given twice: as --" + place + " and as \"" +
                   base::excerpt(plain[i]) + "\"");
        }
    }
    given.job = command.make(given.jobFile.empty() ? std::nullopt
                                                   : std::optional(job::readJobFile(given.jobFile)),
                             values);
    return given;
}

void prepare(const GivenJob& given, std::vector<std::filesystem::path> outputs) {
    if (given.verbose) {
        base::setLogLevel(base::LogLevel::Info);
    } else if (given.quiet) {
        base::setLogLevel(base::LogLevel::Error);
    }
    io::ProtectedFiles inputs = job::inputFiles(given.job);
    if (!given.saveJob.empty()) {
        requireFolderOf(given.saveJob);
        inputs.requireOther(given.saveJob);
        // The job file that was read may be saved again.
        if (io::fileIdentity(given.saveJob) != io::fileIdentity(given.jobFile)) {
            outputs.push_back(given.saveJob);
        }
    }
    inputs.add(given.jobFile);
    job::requireOwnFiles(inputs, outputs);
}

void save(const GivenJob& given) {
    if (!given.saveJob.empty()) {
        io::writeText(given.saveJob, job::toJobFile(given.job));
    }
}

int interrupted() {
    std::cerr << "flcc-cli: interrupted; nothing was written\n" << std::flush;
    return kInterrupted;
}

int runGiven(const GivenJob& given, const std::stop_token& stop) {
    prepare(given, job::outputFiles(given.job));
    ProgressBar bar(errorIsTerminal() && !given.quiet);
    const job::Outcome outcome = job::run(given.job, stop, &bar);
    bar.clear();
    if (outcome.cancelled) {
        return interrupted();
    }
    save(given);
    if (!given.quiet) {
        for (const std::string& note : outcome.notes) {
            const bool warns = std::ranges::find(outcome.warnings, note) != outcome.warnings.end();
            complain((warns ? "warning: " : "note: ") + note + "\n");
        }
    }
    using Text = job::Outcome::Text;
    if (given.json) {
        print(outcome.report(Text::Json));
    } else if (!given.quiet) {
        say(outcome.report(given.verbose ? Text::Verbose : Text::Summary));
    }
    if (outcome.failed) {
        throw base::Error(*outcome.failed);
    }
    return 0;
}

} // namespace flcc::app
