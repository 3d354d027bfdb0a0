#include "app/cli_calibrate.h"

#include <iostream>
#include <sstream>

#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/job/knowledge.h"

namespace flcc::app {

namespace {

std::string savedText(const job::Calibrated& result) {
    const std::filesystem::path file = job::knowledgeFile();
    return !result.file.empty() ? "Saved in " + result.file.string()
           : file.empty()
               ? "The calibration was not saved: set HOME or XDG_CACHE_HOME to a folder."
               : "The calibration could not be saved in " + file.string() + " and is lost.";
}

struct Options {
    bool json = false;
    bool quiet = false;
    int threads = 0;
    double seconds = plan::kCalibrationSeconds;
};

Options parse(const std::vector<std::string>& args) {
    constexpr int kMostSeconds = 3600;
    const auto values =
        optionsAlone("calibrate", {{"threads", "N"}, {"seconds", "N"}, {"quiet"}, {"json"}}, args);
    Options options;
    options.json = values.contains("json");
    options.quiet = values.contains("quiet");
    options.threads = threadsOf(values);
    if (const std::string* const seconds = job::valueOf(values, "seconds")) {
        options.seconds = static_cast<double>(wholeNumber("seconds", *seconds, 1, kMostSeconds));
    }
    return options;
}

} // namespace

int calibrate(const std::vector<std::string>& args, const std::stop_token& stop) {
    const Options options = parse(args);
    WorkProgress progress(!options.quiet);
    const job::Calibrated result =
        job::calibrate(options.threads, options.seconds, stop,
                       [&](std::string_view doing, double share) { progress(doing, share); });
    progress.clear();
    if (result.cancelled) {
        std::cerr
            << "flcc-cli: interrupted before the measurements were complete; nothing was saved\n"
            << std::flush;
        return kInterrupted;
    }
    if (options.json) {
        print(plan::toJson(result.model));
    } else if (!options.quiet) {
        const method::InstructionRate& rate = result.model.instructionRates.front();
        std::ostringstream text;
        text << "Calibrated: " << rate.multiplyAddsPerNs
             << " multiply-adds per nanosecond and thread with " << rate.instructions << ", "
             << result.model.shapeTimes.size() << " tile shapes measured\n"
             << savedText(result) << "\n";
        print(text.str());
    }
    return stop.stop_requested() ? kInterrupted : 0;
}

} // namespace flcc::app
