#include "app/cli_convolve.h"

#include <filesystem>
#include <iostream>
#include <map>

#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/io/atomic_file.h"
#include "engine/job/arguments.h"
#include "engine/job/convolve_job.h"

namespace flcc::app {

namespace {

struct Parsed {
    job::ConvolveJob job;
    std::filesystem::path jobFile; ///< the job file that was read; empty without one
    std::filesystem::path saveJob;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};

/// A bar that names this command's work.
class ConvolveBar final : public ProgressBar {
  public:
    using ProgressBar::ProgressBar;
    void phase(job::Phase phase) override {
        ProgressBar::phase(phase);
        if (phase == job::Phase::Run) {
            label("convolving");
        }
    }
};

Parsed parse(const std::vector<std::string>& args) {
    std::vector<KnownOption> known{{"--job", "FILE"},
                                   {"--save-job", "FILE"},
                                   {"--json", ""},
                                   {"--quiet", ""},
                                   {"--verbose", ""}};
    for (const job::ConvolveOption& option : job::convolveOptions()) {
        known.push_back({"--" + option.name, option.value});
    }
    const auto [options, plain] = argumentsOf("convolve", known, args);
    Parsed parsed;
    std::map<std::string, std::string> values;
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
            values[name.substr(2)] = value;
        }
    }
    if (parsed.quiet && parsed.verbose) {
        refuse("--quiet and --verbose cannot be used together");
    }
    constexpr const char* kPlaces[] = {"scene", "kernel"};
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (i >= std::size(kPlaces)) {
            refuse("unexpected argument \"" + base::excerpt(plain[i]) +
                   "\"; convolve takes a scene and a kernel: flcc-cli convolve SCENE KERNEL");
        }
        if (!values.try_emplace(kPlaces[i], plain[i]).second) {
            refuse("the " + std::string(kPlaces[i]) + " is given twice: as --" + kPlaces[i] +
                   " and as \"" + base::excerpt(plain[i]) + "\"");
        }
    }
    if (!parsed.jobFile.empty()) {
        parsed.job = job::convolveFromJobFile(job::readJobFile(parsed.jobFile));
    }
    const bool given = values.contains("kernel");
    job::setConvolveOptions(parsed.job, values);
    if (parsed.job.run.scene.empty() || (parsed.job.kernel.empty() && !given)) {
        refuse("convolve needs a scene and a kernel: flcc-cli convolve SCENE KERNEL --output FILE");
    }
    return parsed;
}

/// Throws if an output, the saved job file included, would replace an input or another output.
void requireOwnFiles(const Parsed& parsed) {
    io::ProtectedFiles inputs = job::inputFiles(parsed.job);
    std::vector<std::filesystem::path> outputs = job::outputFiles(parsed.job);
    if (!parsed.saveJob.empty()) {
        requireFolderOf(parsed.saveJob);
        inputs.requireOther(parsed.saveJob);
        // The job file that was read may be saved again.
        if (io::fileIdentity(parsed.saveJob) != io::fileIdentity(parsed.jobFile)) {
            outputs.push_back(parsed.saveJob);
        }
    }
    inputs.add(parsed.jobFile);
    job::requireOwnFiles(inputs, outputs);
}

} // namespace

int convolve(const std::vector<std::string>& args, const std::stop_token& stop) {
    const Parsed parsed = parse(args);
    if (parsed.verbose) {
        base::setLogLevel(base::LogLevel::Info);
    } else if (parsed.quiet) {
        base::setLogLevel(base::LogLevel::Error);
    }
    requireOwnFiles(parsed);
    ConvolveBar bar(errorIsTerminal() && !parsed.quiet);
    const job::ConvolveResult result = job::runConvolve(parsed.job, {}, stop, &bar);
    bar.clear();
    if (result.cancelled) {
        std::cerr << "flcc-cli: interrupted; nothing was written\n" << std::flush;
        return kInterrupted;
    }
    if (!parsed.saveJob.empty()) {
        io::writeText(parsed.saveJob, job::toJobFile(parsed.job));
    }
    if (!parsed.quiet) {
        for (const std::string& note : result.notes) {
            std::cerr << "note: " + note + "\n";
        }
    }
    if (parsed.json) {
        print(job::toJson(result.report));
    } else if (!parsed.quiet) {
        print(job::toSummary(result.report, parsed.verbose));
    }
    return 0;
}

} // namespace flcc::app
