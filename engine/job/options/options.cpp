#include "engine/job/options/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/arguments.h"
#include "engine/job/options/list_options.h"
#include "engine/job/options/option_kinds.h"
#include "engine/job/report/text.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;
using std::filesystem::path;

namespace {

using namespace kinds;

constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostRepeats = 1'000'000;

Option sceneOption() {
    Option option{.name = "scene",
                  .value = "FILE...",
                  .help = "scenes, each searched on its own; the first may be a plain argument",
                  .get = {},
                  .set = {},
                  .positional = true};
    option.getAll = [](const Job& job) {
        std::vector<std::string> values;
        if (!job.scene.empty()) {
            values.push_back(job.scene.string());
        }
        for (const path& file : job.furtherScenes) {
            values.push_back(file.string());
        }
        return values;
    };
    option.setAll = [](Job& job, const std::vector<std::string>& values) {
        job.scene.clear();
        job.furtherScenes.clear();
        for (const std::string& text : values) {
            const path file = toFile("scene", text);
            if (job.scene.empty()) {
                job.scene = file;
            } else {
                job.furtherScenes.push_back(file);
            }
        }
    };
    return option;
}

Option cropOption() {
    Option option{
        .name = "crop",
        .value = "X,Y[,Z]:W,H[,D]",
        .help = "cut a template from the scene: corner:extents; numbered before files (repeat)",
        .get = {},
        .set = {}};
    option.getAll = [](const Job& job) {
        std::vector<std::string> values;
        for (const base::Box& crop : job.crops) {
            values.push_back(base::toString(crop));
        }
        return values;
    };
    option.setAll = [](Job& job, const std::vector<std::string>& values) {
        job.crops.clear();
        for (const std::string& text : values) {
            job.crops.push_back(parseBox(text));
        }
    };
    return option;
}

Option regionOption() {
    return {.name = "region",
            .kind = ValueKind::Text,
            .value = "X,Y[,Z]:W,H[,D]",
            .help = "search only this box; panels lie inside it completely (default: all)",
            .get =
                [](const Job& job) {
                    return job.region ? std::optional(base::toString(*job.region)) : std::nullopt;
                },
            .set = [](Job& job, const std::string& text) { job.region = parseBox(text); },
            .positional = false};
}

Option operationOption() {
    std::vector<std::string> words;
    for (const method::OperationTraits& traits : method::operationTable()) {
        words.emplace_back(traits.name);
    }
    return wordOption(
        "operation", "value computed for every placement", std::move(words),
        [](const Job& job) { return std::string(method::name(job.operation)); },
        [](Job& job, const std::string& text) {
            job.operation = method::operationNamed(text).value_or(method::Operation());
        });
}

/// The threshold of peaks: `minScore` or `maxScore`.
Option thresholdOption(std::string name, std::string value, std::string help,
                       std::optional<double> Job::*member) {
    return {.name = name,
            .kind = ValueKind::Number,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    const bool shown =
                        job.*member && *(job.*member) != job.operation.traits().threshold;
                    return shown ? std::optional(shortest(*(job.*member))) : std::nullopt;
                },
            .set =
                [member, name](Job& job, const std::string& text) {
                    constexpr double kMost = std::numeric_limits<double>::max();
                    job.*member = toNumber(name, text, -kMost, kMost);
                },
            .positional = false};
}

/// One of the values of an enumeration that has name().
template <class Enum>
Option enumOption(std::string name, std::string help, Enum Job::*member, std::vector<Enum> all) {
    std::vector<std::string> words;
    for (const Enum value : all) {
        words.emplace_back(method::name(value));
    }
    return wordOption(
        std::move(name), std::move(help), std::move(words),
        [member](const Job& job) { return std::string(method::name(job.*member)); },
        [member, all = std::move(all)](Job& job, const std::string& text) {
            job.*member = *std::find_if(all.begin(), all.end(),
                                        [&](Enum value) { return text == method::name(value); });
        });
}

Option methodOption() {
    std::vector<std::string> names{"auto"};
    for (const method::Method* method : plan::methods()) {
        if (std::find(names.begin(), names.end(), method->name()) == names.end()) {
            names.emplace_back(method->name());
        }
    }
    return wordOption(
        "method", "method that computes the scores; auto: the plan chooses", std::move(names),
        [](const Job& job) { return job.method; },
        [](Job& job, const std::string& text) { job.method = text; });
}

std::string tileText(const base::Extents& tile) {
    if (tile.x == tile.y && tile.y == tile.z) {
        return std::to_string(tile.x);
    }
    const std::string text = std::to_string(tile.x) + "," + std::to_string(tile.y);
    return tile.z > 0 ? text + "," + std::to_string(tile.z) : text;
}

Option tileOption() {
    return {.name = "tile",
            .kind = ValueKind::Text,
            .value = "P[,P[,P]]",
            .help = "points of a tile along each axis; one number for all axes",
            .get =
                [](const Job& job) {
                    return job.tile.x > 0 ? std::optional(tileText(job.tile)) : std::nullopt;
                },
            .set = [](Job& job, const std::string& text) { job.tile = parseTile(text); },
            .positional = false};
}

Option recomputeOption() {
    return wordOption(
        "recompute",
        "compute scores whose empirical bound breaks the promise again in double, or mark them "
        "LOWCONF",
        {"on", "off"}, [](const Job& job) { return std::string(job.recompute ? "on" : "off"); },
        [](Job& job, const std::string& text) { job.recompute = text == "on"; });
}

Option auditOption() {
    return wordOption(
        "audit", "check scores against the definition after the run; auto: if it takes under 2 %",
        {"auto", "on", "off"}, [](const Job& job) { return std::string(name(job.audit)); },
        [](Job& job, const std::string& text) {
            job.audit = text == "on" ? Audit::On : text == "off" ? Audit::Off : Audit::Auto;
        });
}

Option deviceOption() {
    return {.name = "device",
            .kind = ValueKind::Text,
            .value = "auto|cpu|cuda|cuda:N",
            .help = "device that computes the scores (flcc-cli devices lists them)",
            .get =
                [](const Job& job) {
                    return job.device == "auto" ? std::nullopt : std::optional(job.device);
                },
            .set =
                [](Job& job, const std::string& text) {
                    if (!plan::isDeviceName(text)) {
                        refuse("device", text, "one of auto, cpu, cuda, cuda:N");
                    }
                    job.device = text;
                },
            .positional = false};
}

Option memoryOption() {
    return {.name = "memory",
            .kind = ValueKind::Text,
            .value = "SIZE",
            .help =
                "memory limit of a run, the scene excluded, such as 4GiB (default: what is free)",
            .get =
                [](const Job& job) {
                    return job.memoryBytes > 0 ? std::optional(std::to_string(job.memoryBytes))
                                               : std::nullopt;
                },
            .set = [](Job& job, const std::string& text) { job.memoryBytes = parseSize(text); },
            .positional = false};
}

Option planningOption() {
    return wordOption(
        "planning",
        "measure: time plausible methods on a sample; estimate: use the cost model only; "
        "exhaustive: time all methods on the whole scene",
        {"measure", "estimate", "exhaustive"},
        [](const Job& job) { return std::string(plan::name(job.planning)); },
        [](Job& job, const std::string& text) {
            for (const plan::Planning planning :
                 {plan::Planning::Measure, plan::Planning::Estimate, plan::Planning::Exhaustive}) {
                job.planning = text == plan::name(planning) ? planning : job.planning;
            }
        });
}

Option channelOption() {
    Option option = channelNumber();
    option.kind = ValueKind::NumberOrText;
    option.value = "N|all";
    option.help = "channel of a file with several channels, from 0; all: ssd and sad of colour "
                  "images, summed over channels";
    option.get = [](const Job& job) {
        return job.channel == kAllChannels ? std::optional<std::string>("all")
                                           : channelNumber().get(job);
    };
    option.set = [](Job& job, const std::string& text) {
        if (text == "all") {
            job.channel = kAllChannels;
        } else {
            channelNumber().set(job, text);
        }
    };
    return option;
}

Option minDistanceOption() {
    return {
        .name = "min-distance",
        .kind = ValueKind::NumberOrText,
        .value = "auto|VOXELS",
        .help = "least distance between two peaks; auto: half the template extent on every axis",
        .get =
            [](const Job& job) {
                return job.minDistance ? std::optional(shortest(*job.minDistance)) : std::nullopt;
            },
        .set =
            [](Job& job, const std::string& text) {
                if (text == "auto") {
                    job.minDistance.reset();
                } else {
                    job.minDistance =
                        toNumber("min-distance", text, 0, std::numeric_limits<double>::max());
                }
            },
        .positional = false};
}

std::vector<Option> makeOptions() {
    using method::Extent;
    using method::Outside;
    using method::Transforms;
    using method::WindowStatistics;
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    std::vector<Option> all{
        sceneOption(),
        filesOption("template",
                    "template image; the first may be the second plain argument (repeat)",
                    &Job::templates),
        cropOption(),
        fileOption("template-out", "FILE",
                   "write the template, not inverted, if the job has one template",
                   &Job::templateOut),
        filesOption(
            "mask",
            "mask, nonzero voxels count: a file, sphere:R[,SOFT] in voxels, box, alpha: the "
            "opaque part (the default of templates with opacity), or none; one for all "
            "templates, or one for each (repeat)",
            &Job::masks),
        flagOption("resample", "bring templates of another spacing to that of the scene",
                   &Job::resample),
        flagOption("invert",
                   "mirror the templates' values between the smallest and the largest one under "
                   "the mask; every lcc score changes its sign",
                   &Job::invert),
        channelOption(),
        indexOption("frame", "N", "frame of a file with several frames, from 0", &Job::frame),
        orientationOption(),
        imageOption(),
        spacingOption(),
        worldOption(),
        flagOption("stream",
                   "search every slice of the scene, a stack, on its own; one output for all: map "
                   "as .mha or .nrrd, peaks with a column frame",
                   &Job::stream),
        regionOption(),
        fileOption("scene-mask", "FILE",
                   "mask of the scene with the same extents: nonzero voxels count",
                   &Job::sceneMask),
        operationOption(),
        enumOption("extent",
                   "placements: inside the scene, with the centre inside, or all that touch it",
                   &Job::extent, {Extent::Valid, Extent::Same, Extent::Full}),
        enumOption("outside",
                   "voxels outside scene or mask: zero: 0; eibl: panel mean in the numerator; "
                   "overlap: ignored",
                   &Job::outside, {Outside::Zero, Outside::Eibl, Outside::Overlap}),
        numberOption("min-overlap", "0.5",
                     "with --outside overlap: least share of the support inside", &Job::minOverlap,
                     0, 1),
        methodOption(),
        tileOption(),
        enumOption(
            "transforms",
            "Fourier transforms on the processor: the faster kind, the program's own, or FFTW",
            &Job::transforms, {Transforms::Auto, Transforms::Own, Transforms::Fftw}),
        enumOption("statistics",
                   "sums under the support: the faster kind, window sums, or correlations",
                   &Job::statistics,
                   {WindowStatistics::Auto, WindowStatistics::Box, WindowStatistics::Fourier}),
        enumOption("precision", "arithmetic of the scores; with double the map is float64",
                   &Job::precision, {method::Precision::Single, method::Precision::Double}),
        numberOption("promise", "1e-4",
                     "largest empirical error bound of a score that is not marked LOWCONF",
                     &Job::promise, kLeastPromise, 1),
        recomputeOption(),
        auditOption(),
        deviceOption(),
        countOption("threads", "N", "threads of the run (default: all)", &Job::threads, 1,
                    kMostThreads),
        memoryOption(),
        planningOption(),
        fileOption("plan", "REPORT.json", "run the candidate chosen in an earlier report",
                   &Job::planReport),
        countOption("repeat", "N", "number of runs, for timing", &Job::repeat, 1, kMostRepeats),
        thresholdOption("min-score", "SCORE",
                        "lowest value of a peak (default: 0.5 for lcc, else none)", &Job::minScore),
        thresholdOption("max-score", "SCORE",
                        "largest value of a peak, where the smallest is best (default: none)",
                        &Job::maxScore),
        countOption("max-peaks", "100", "largest number of peaks listed", &Job::maxPeaks, 1, kAny),
        minDistanceOption(),
        flagOption("partial-peaks", "panels that leave the scene or its mask may be peaks",
                   &Job::partialPeaks),
        fileOption("map", "FILE", "write the scores: .mha .nrrd .nii .nii.gz .mrc .tif", &Job::map),
        fileOption("status", "FILE", "write the status of every score", &Job::status),
        fileOption("index", "FILE", "write the template that gave every score, -1 without one",
                   &Job::index),
        fileOption("peaks", "FILE", "write the peaks: .csv .tsv .json and others, see peaks-format",
                   &Job::peaks),
        fileOption("report", "FILE.json", "write the plan, times and peaks", &Job::report),
        fileOption("heatmap", "FILE.png", "write a coloured picture of the scores", &Job::heatmap),
        indexOption("slice", "Z", "slice of the heatmap (default: that of the best peak)",
                    &Job::slice),
    };
    const auto after = std::ranges::find(all, "peaks", &Option::name) + 1;
    const std::vector<Option> lists = peakListOptions();
    all.insert(after, lists.begin(), lists.end());
    return all;
}

} // namespace

const Option& channelNumber() {
    static const Option option = indexOption(
        "channel", "N", "channel of a file with several channels, from 0", &Job::channel);
    return option;
}

const std::vector<Option>& options() {
    static const std::vector<Option> kOptions = makeOptions();
    return kOptions;
}

const Option* findOption(std::string_view name) {
    const auto& all = options();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Option& option) { return option.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> valuesOf(const Option& option, const Job& job) {
    if (option.repeats()) {
        return option.getAll(job);
    }
    const std::optional<std::string> value = option.get(job);
    return value ? std::vector{*value} : std::vector<std::string>{};
}

const std::vector<std::string>& plannedOptions() {
    static const std::vector<std::string> kNames{"method",  "tile",       "device",
                                                 "threads", "transforms", "planning"};
    return kNames;
}

void refuseBesidePlan(const std::string& option) {
    throw Error(ErrorCode::CommandLine,
                "--plan takes method, tile, device, threads, transforms and planning from a "
                "report; leave out --plan or --" +
                    option);
}

} // namespace flcc::job::detail
