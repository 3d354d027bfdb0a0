#include "app/cli_features.h"

#include <charconv>
#include <cmath>
#include <iostream>
#include <limits>

#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/job/arguments.h"
#include "engine/job/features.h"

namespace flcc::app {

const char* const kFeaturesHelp = R"(
Options of features; the default is the first value or in brackets:

  --blobs FILE             list of blobs; .csv, .tsv, .json or .mrk.json (3D Slicer)
  --blobs-format auto|csv|tsv|json|imagej|slicer
                           format of the list (auto: by extension)
  --scales A:B:N           N scales sigma from A to B voxels, each the same factor larger
                           [2 to a tenth of the smallest extent, 12 of them]
  --levels N               levels of values that are compared [128]
  --channels auto|grey|ohta
                           grey values, or three planes of colour (auto: planes if the image
                           has colour)
  --min-strength S         least strength of a blob [a tenth of the range of the values]
  --max-blobs N            longest list [1000]
  --overlap R              largest share of a blob that a stronger one may cover [0.5]
  --strength FILE          image of the largest response over the scales
  --scale-map FILE         image of the scale with that response
  --match IMAGE            finds blobs in a second image too and matches them; needs --pairs
  --pairs FILE             list of pairs of blobs that look alike; .csv or .tsv
  --min-score R            least score (LCC) of a pair [0.7]
  --channel N, --frame N, --threads N, --memory SIZE, --report FILE, --json, --quiet, --verbose
                           as for match
)";

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

double realNumber(const std::string& option, std::string_view text, double least, double most) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() ||
        !(value >= least && value <= most)) {
        const std::string upper =
            std::isfinite(most) ? " to " + std::to_string(static_cast<int>(most)) : " or more";
        refuse(option + " must be a number of " + std::to_string(static_cast<int>(least)) + upper +
               ", not \"" + base::excerpt(text) + "\"");
    }
    return value;
}

features::Channels channelsOf(const std::string& text) {
    for (const auto channels :
         {features::Channels::Auto, features::Channels::Grey, features::Channels::Ohta}) {
        if (text == features::name(channels)) {
            return channels;
        }
    }
    refuse("--channels must be auto, grey or ohta, not \"" + base::excerpt(text) + "\"");
}

/// The job that the options describe.
job::FeaturesJob jobOf(const OptionValues& options, const std::string& image) {
    job::FeaturesJob job;
    job.image = image;
    const auto value = [&](const char* name) -> const std::string* {
        const auto found = options.find(name);
        return found == options.end() ? nullptr : &found->second;
    };
    const auto whole = [&](const char* name, std::int64_t least, std::int64_t most,
                           const auto& set) {
        if (const std::string* text = value(name)) {
            set(wholeNumber(name, *text, least, most));
        }
    };
    const auto file = [&](const char* name, std::filesystem::path& path) {
        if (const std::string* text = value(name)) {
            if (text->empty()) {
                refuse(std::string(name) + " needs the name of a file");
            }
            path = *text;
        }
    };
    file("--blobs", job.blobs);
    file("--strength", job.strength);
    file("--scale-map", job.scaleMap);
    file("--report", job.report);
    file("--match", job.match);
    file("--pairs", job.pairs);
    if (const std::string* text = value("--blobs-format")) {
        job.blobsFormat = job::blobFormat(*text);
    }
    if (const std::string* text = value("--scales")) {
        job.detector.scales = job::parseScales(*text);
    }
    if (const std::string* text = value("--channels")) {
        job.channels = channelsOf(*text);
    }
    if (const std::string* text = value("--min-strength")) {
        job.detector.minStrength =
            realNumber("--min-strength", *text, 0, std::numeric_limits<double>::infinity());
    }
    if (const std::string* text = value("--overlap")) {
        job.detector.overlap = realNumber("--overlap", *text, 0, 1);
    }
    if (const std::string* text = value("--min-score")) {
        job.minScore = realNumber("--min-score", *text, -1, 1);
    }
    if (const std::string* text = value("--memory")) {
        job.memoryBytes = job::parseSize(*text);
        if (job.memoryBytes < 1) {
            refuse("--memory must be positive, not \"" + base::excerpt(*text) + "\"");
        }
    }
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    whole("--levels", 2, features::kMostLevels,
          [&](std::int64_t n) { job.detector.levels = static_cast<int>(n); });
    whole("--max-blobs", 1, kMost, [&](std::int64_t n) { job.detector.maxBlobs = n; });
    whole("--channel", 0, kMost, [&](std::int64_t n) { job.channel = static_cast<int>(n); });
    whole("--frame", 0, kMost, [&](std::int64_t n) { job.frame = static_cast<int>(n); });
    job.threads = threadsOf(options);
    return job;
}

} // namespace

int features(const std::vector<std::string>& args, const std::stop_token& stop) {
    const auto [options, images] = argumentsOf("features",
                                               {{"--blobs", "FILE"},
                                                {"--blobs-format", "FORMAT"},
                                                {"--scales", "A:B:N"},
                                                {"--levels", "N"},
                                                {"--channels", "auto|grey|ohta"},
                                                {"--min-strength", "S"},
                                                {"--max-blobs", "N"},
                                                {"--overlap", "R"},
                                                {"--strength", "FILE"},
                                                {"--scale-map", "FILE"},
                                                {"--match", "IMAGE"},
                                                {"--pairs", "FILE"},
                                                {"--min-score", "R"},
                                                {"--channel", "N"},
                                                {"--frame", "N"},
                                                {"--threads", "N"},
                                                {"--memory", "SIZE"},
                                                {"--report", "FILE"},
                                                {"--mask", "FILE"},
                                                {"--json", ""},
                                                {"--quiet", ""},
                                                {"--verbose", ""}},
                                               args);
    if (options.contains("--mask")) {
        refuse("features takes no mask; cut the image to the part that counts");
    }
    if (images.size() != 1) {
        refuse("features takes one image: flcc-cli features IMAGE [options]");
    }
    const bool quiet = options.contains("--quiet");
    const bool json = options.contains("--json");
    const bool verbose = options.contains("--verbose");
    if (verbose) {
        base::setLogLevel(base::LogLevel::Info);
    } else if (quiet) {
        base::setLogLevel(base::LogLevel::Error);
    }
    const job::FeaturesJob job = jobOf(options, images.front());
    ProgressBar bar(errorIsTerminal() && !quiet);
    Bar sink(bar);
    const job::FeaturesResult result = job::runFeatures(job, stop, &sink);
    bar.clear();
    if (result.cancelled) {
        std::cerr << "flcc-cli: interrupted; nothing was written\n" << std::flush;
        return kInterrupted;
    }
    if (!quiet) {
        for (const std::string& note : result.notes) {
            std::cerr << "note: " + note + "\n";
        }
    }
    if (json) {
        print(job::toJson(result));
    } else if (!quiet) {
        print(job::toSummary(result));
    }
    return 0;
}

} // namespace flcc::app
