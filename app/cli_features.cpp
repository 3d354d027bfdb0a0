#include "app/cli_features.h"

#include <algorithm>
#include <iostream>

#include "app/cli_job.h"
#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/base/log.h"
#include "engine/io/atomic_file.h"
#include "engine/job/arguments.h"
#include "engine/job/features.h"

namespace flcc::app {

namespace {

class Bar : public job::FeaturesSink {
  public:
    explicit Bar(ProgressBar& bar) : m_bar(bar) {}
    void phase(std::string_view phase) override {
        base::log(base::LogLevel::Info, std::string(phase));
        m_bar.label(phase);
    }
    void progress(double share) override { m_bar.progress(share); }
    void found(double sigma, std::span<const features::Blob> blobs) override {
        base::log(base::LogLevel::Info, "sigma " + std::to_string(sigma) + ": " +
                                            std::to_string(blobs.size()) + " maxima so far");
    }

  private:
    ProgressBar& m_bar;
};

job::FeaturesJob jobOf(const JobArguments& arguments) {
    job::FeaturesJob job;
    if (!arguments.jobFile.empty()) {
        job = job::featuresFromJobFile(job::readJobFile(arguments.jobFile));
    }
    job::setFeaturesOptions(job, arguments.values);
    if (job.image.empty()) {
        refuse("features needs an image: flcc-cli features IMAGE [options]");
    }
    return job;
}

/// True for an option that others of our commands have and this one does not.
bool isMask(const std::string& arg) { return arg == "--mask" || arg.starts_with("--mask="); }

} // namespace

int features(const std::vector<std::string>& args, const std::stop_token& stop) {
    if (std::any_of(args.begin(), std::find(args.begin(), args.end(), "--"), isMask)) {
        refuse("features takes no mask; cut the image to the part that counts");
    }
    const JobArguments parsed = jobArgumentsOf({"features",
                                                job::featuresOptions(),
                                                {"image"},
                                                "one image: flcc-cli features IMAGE [options]"},
                                               args);
    const job::FeaturesJob job = jobOf(parsed);
    requireOwnFiles(parsed, job::inputFiles(job), job::outputFiles(job));
    ProgressBar bar(errorIsTerminal() && !parsed.quiet);
    Bar sink(bar);
    const job::FeaturesResult result = job::runFeatures(job, stop, &sink);
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
        print(job::toJson(result));
    } else if (!parsed.quiet) {
        print(job::toSummary(result));
    }
    return 0;
}

} // namespace flcc::app
