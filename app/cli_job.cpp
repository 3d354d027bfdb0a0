#include "app/cli_job.h"

#include <algorithm>
#include <iostream>

#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/io/atomic_file.h"
#include "engine/job/any_job.h"

namespace flcc::app {

void prepare(const job::ParsedArguments& given, std::vector<std::filesystem::path> outputs) {
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

void save(const job::ParsedArguments& given) {
    if (!given.saveJob.empty()) {
        io::writeText(given.saveJob, job::toJobFile(given.job));
    }
}

int interrupted() {
    std::cerr << "flcc-cli: interrupted; nothing was written\n" << std::flush;
    return kInterrupted;
}

int runGiven(const job::ParsedArguments& given, const std::stop_token& stop) {
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
