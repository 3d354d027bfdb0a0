#include "engine/job/options/common_options.h"

#include <utility>

#include "engine/job/command_line.h"
#include "engine/job/options/option_kinds.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

namespace kinds {

void refuse(const std::string& option, const std::string& value, const std::string& wanted) {
    throw Error(ErrorCode::CommandLine,
                base::Message("option-value",
                              "{--" + option + "} must be {wanted}, not \"{value}\"",
                              {{"wanted", wanted}, {"value", base::excerpt(value)}}));
}

std::int64_t toInteger(const std::string& option, const std::string& text, std::int64_t low,
                       std::int64_t high) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || value < low || value > high) {
        refuse(option, text,
               high == kAnyCount
                   ? "a whole number of at least " + std::to_string(low)
                   : "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value;
}

double toNumber(const std::string& option, const std::string& text, double low, double high) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || !(value >= low && value <= high)) {
        refuse(option, text,
               high == std::numeric_limits<double>::max()
                   ? "a number of at least " + shortest(low)
                   : "a number from " + shortest(low) + " to " + shortest(high));
    }
    return value;
}

path toFile(const std::string& option, const std::string& text) {
    if (text.empty() || text.find('\0') != std::string::npos) {
        refuse(option, text, "the name of a file");
    }
    return text;
}

} // namespace kinds

namespace rows {

using namespace kinds;

Option<Common> scene(std::string name, std::string help) {
    return fileOption<Common>(std::move(name), "FILE", std::move(help), &Common::scene);
}

Option<Common> channel() {
    return indexOption<Common>("channel", "N", "channel of a file with several channels, from 0",
                               &Common::channel);
}

Option<Common> frame() {
    return indexOption<Common>("frame", "N", "frame of a file with several frames, from 0",
                               &Common::frame);
}

Option<Common> orientation() {
    return wordOption<Common>(
        "orientation",
        "turn pictures as their files say (EXIF, TIFF), or leave rows as they are stored",
        {"applied", "stored"},
        [](const Common& job) {
            return job.reading.orientation == io::Orientation::Stored ? "stored" : "applied";
        },
        [](Common& job, const std::string& text) {
            job.reading.orientation =
                text == "stored" ? io::Orientation::Stored : io::Orientation::Applied;
        });
}

Option<Common> image() {
    return indexOption<Common>(
        "image", "N",
        "image of a TIFF file with several images, or level of a slide, from 0 (default: the main "
        "one)",
        [](auto&& job) -> auto& { return job.reading.image; });
}

Option<Common> part() {
    return {.name = "part",
            .value = "X,Y[,Z]:W,H[,D]",
            .help = "read this box of the scene's file only, and take it as the scene (default: "
                    "all); positions count from its corner, places in the world stay",
            .get =
                [](const Common& job) {
                    return job.reading.part ? std::optional(base::toString(*job.reading.part))
                                            : std::nullopt;
                },
            .set = [](Common& job, const std::string& text) { job.reading.part = parseBox(text); }};
}

Option<Common> spacing() {
    return {.name = "spacing",
            .value = "X[,Y[,Z]][UNIT]|resolution",
            .help = "spacing of the scenes in place of their files', such as 0.5um or 0.2,0.2,1mm; "
                    "resolution: the pixels per inch or centimetre that pictures state",
            .get =
                [](const Common& job) {
                    return job.spacing              ? std::optional(base::toString(*job.spacing))
                           : job.reading.resolution ? std::optional<std::string>("resolution")
                                                    : std::nullopt;
                },
            .set =
                [](Common& job, const std::string& text) {
                    job.reading.resolution = text == "resolution";
                    job.spacing = job.reading.resolution ? std::nullopt
                                                         : std::optional(base::parseSpacing(text));
                }};
}

Option<Common> world() {
    using base::WorldAxes;
    return wordOption<Common>(
        "world",
        "axes of world positions: as the scene's file states them (NIfTI: ras, DICOM: "
        "lps); right, anterior, superior; or left, posterior, superior",
        {"auto", "ras", "lps"},
        [](const Common& job) {
            return !job.world ? "auto" : *job.world == WorldAxes::Ras ? "ras" : "lps";
        },
        [](Common& job, const std::string& text) {
            job.world = text == "auto"  ? std::nullopt
                        : text == "ras" ? std::optional(WorldAxes::Ras)
                                        : std::optional(WorldAxes::Lps);
        });
}

Option<Common> threads() {
    constexpr std::int64_t kMostThreads = 4096;
    return countOption<Common>("threads", "N", "threads of the run (default: all)",
                               &Common::threads, 1, kMostThreads);
}

Option<Common> memory() {
    return {.name = "memory",
            .value = "SIZE",
            .help =
                "memory limit of a run, the scene excluded, such as 4GiB (default: what is free)",
            .get =
                [](const Common& job) {
                    return job.memoryBytes > 0 ? std::optional(sizeText(job.memoryBytes))
                                               : std::nullopt;
                },
            .set = [](Common& job, const std::string& text) { job.memoryBytes = parseSize(text); },
            .clear = [](Common& job) { job.memoryBytes = 0; }};
}

Option<CommonOutputs> report(std::string value, std::string help) {
    return fileOption<CommonOutputs>("report", std::move(value), std::move(help),
                                     &CommonOutputs::report);
}

Option<PlannedJob> stream(std::string help) {
    return flagOption<PlannedJob>("stream", std::move(help), &PlannedJob::stream);
}

Option<PlannedJob> region(std::string help) {
    return {.name = "region",
            .value = "X,Y[,Z]:W,H[,D]",
            .help = std::move(help),
            .get =
                [](const PlannedJob& job) {
                    return job.region ? std::optional(base::toString(*job.region)) : std::nullopt;
                },
            .set = [](PlannedJob& job, const std::string& text) { job.region = parseBox(text); }};
}

Option<PlannedJob> method(std::string help, const std::vector<std::string>& methods) {
    std::vector<std::string> words{"auto"};
    words.insert(words.end(), methods.begin(), methods.end());
    return wordOption<PlannedJob>(
        "method", std::move(help), std::move(words),
        [](const PlannedJob& job) { return job.method; },
        [](PlannedJob& job, const std::string& text) { job.method = text; });
}

namespace {

std::string tileText(const base::Extents& tile) {
    if (tile.x == tile.y && tile.y == tile.z) {
        return std::to_string(tile.x);
    }
    const std::string text = std::to_string(tile.x) + "," + std::to_string(tile.y);
    return tile.z > 0 ? text + "," + std::to_string(tile.z) : text;
}

} // namespace

Option<PlannedJob> tile() {
    return {.name = "tile",
            .value = "P[,P[,P]]",
            .help = "points of a tile along each axis; one number for all axes",
            .get =
                [](const PlannedJob& job) {
                    return job.tile.x > 0 ? std::optional(tileText(job.tile)) : std::nullopt;
                },
            .set = [](PlannedJob& job, const std::string& text) { job.tile = parseTile(text); },
            .clear =
                [](PlannedJob& job) {
                    job.tile = {0, 0, 0};
                }};
}

Option<PlannedJob> transforms() {
    using method::Transforms;
    return enumOption<PlannedJob>(
        "transforms",
        "Fourier transforms on the processor: the faster kind, the program's own, or FFTW",
        &PlannedJob::transforms, std::vector{Transforms::Auto, Transforms::Own, Transforms::Fftw});
}

Option<PlannedJob> precision(std::string help) {
    using method::Precision;
    return enumOption<PlannedJob>("precision", std::move(help), &PlannedJob::precision,
                                  std::vector{Precision::Single, Precision::Double});
}

Option<PlannedJob> device(std::string help) {
    return {.name = "device",
            .value = "auto|cpu|cuda|cuda:N",
            .help = std::move(help),
            .get = [](const PlannedJob& job) { return std::optional(job.device); },
            .set =
                [](PlannedJob& job, const std::string& text) {
                    if (!plan::isDeviceName(text)) {
                        refuse("device", text, "one of auto, cpu, cuda, cuda:N");
                    }
                    job.device = text;
                }};
}

Option<PlannedJob> planning() {
    using plan::Planning;
    return enumOption<PlannedJob>(
        "planning",
        "measure: time plausible methods on a sample; estimate: use the cost model only; "
        "exhaustive: time all methods on the whole scene",
        &PlannedJob::planning,
        std::vector{Planning::Measure, Planning::Estimate, Planning::Exhaustive});
}

Option<PlannedJob> plan() {
    return fileOption<PlannedJob>("plan", "REPORT.json",
                                  "run the candidate chosen in an earlier report",
                                  &PlannedJob::planReport);
}

Option<PlannedJob> repeat() {
    constexpr std::int64_t kMostRepeats = 1'000'000;
    return countOption<PlannedJob>("repeat", "N", "number of runs, for timing", &PlannedJob::repeat,
                                   1, kMostRepeats);
}

} // namespace rows

const std::vector<std::string>& plannedOptions() {
    static const std::vector<std::string> kNames{"method",  "tile",       "device",
                                                 "threads", "transforms", "planning"};
    return kNames;
}

void settlePlan(PlannedJob& job, const GivenOptions& given) {
    const std::vector<std::string>& planned = plannedOptions();
    const auto decided = std::ranges::find_if(
        planned, [&](const std::string& name) { return given.contains(name); });
    if (given.contains("plan")) {
        if (decided != planned.end()) {
            refuseBesidePlan(*decided);
        }
        job.takePlan({}); // the option sets the report
    } else if (decided != planned.end()) {
        job.planReport.clear();
    }
}

void refuseBesidePlan(const std::string& option) {
    throw Error(ErrorCode::CommandLine,
                base::Message("option-beside-plan",
                              "{--plan} takes method, tile, device, threads, transforms and "
                              "planning from a report; leave out {--plan} or {--" +
                                  option + "}"));
}

} // namespace flcc::job::detail
