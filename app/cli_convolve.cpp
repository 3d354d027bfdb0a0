#include "app/cli_convolve.h"

#include <filesystem>
#include <iostream>

#include "app/cli_job.h"
#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/io/atomic_file.h"
#include "engine/job/arguments.h"
#include "engine/job/convolve_job.h"

namespace flcc::app {

namespace {

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

job::ConvolveJob jobOf(const JobArguments& arguments) {
    job::ConvolveJob job;
    if (!arguments.jobFile.empty()) {
        job = job::convolveFromJobFile(job::readJobFile(arguments.jobFile));
    }
    job::setConvolveOptions(job, arguments.values);
    if (job.run.scene.empty() || (job.kernel.empty() && !arguments.values.contains("kernel"))) {
        refuse("convolve needs a scene and a kernel: flcc-cli convolve SCENE KERNEL --output FILE");
    }
    return job;
}

} // namespace

int convolve(const std::vector<std::string>& args, const std::stop_token& stop) {
    const JobArguments parsed = jobArgumentsOf({"convolve",
                                                job::convolveOptions(),
                                                {"scene", "kernel"},
                                                "a scene and a kernel: flcc-cli convolve SCENE "
                                                "KERNEL"},
                                               args);
    const job::ConvolveJob job = jobOf(parsed);
    requireOwnFiles(parsed, job::inputFiles(job), job::outputFiles(job));
    ConvolveBar bar(errorIsTerminal() && !parsed.quiet);
    const job::ConvolveResult result = job::runConvolve(job, {}, stop, &bar);
    bar.clear();
    if (result.cancelled) {
        std::cerr << "flcc-cli: interrupted; nothing was written\n" << std::flush;
        return kInterrupted;
    }
    if (!parsed.saveJob.empty()) {
        io::writeText(parsed.saveJob, job::toJobFile(job));
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
