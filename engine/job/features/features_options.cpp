#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/features.h"
#include "engine/job/options/option_table.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using detail::ValueKind;
using std::filesystem::path;

namespace {

using Row = detail::OptionRow<FeaturesJob>;

[[noreturn]] void refuseValue(const std::string& name, const std::string& wanted,
                              const std::string& text) {
    throw Error(ErrorCode::CommandLine,
                "--" + name + " must be " + wanted + ", not \"" + base::excerpt(text) + "\"");
}

/// A row of `match` that means the same here. The members hold the value in both jobs.
template <class T, class... More>
Row matchRow(const std::string& name, T Job::*from, T FeaturesJob::*to, More... more) {
    const detail::Option& option =
        name == "channel" ? detail::channelNumber() : *detail::findOption(name);
    return {{name, option.value, option.help},
            option.kind,
            [&option, from, to, more...](const FeaturesJob& job) {
                Job match;
                match.*from = job.*to;
                (more.give(job, match), ...);
                return option.get(match);
            },
            [&option, from, to, more...](FeaturesJob& job, const std::string& text) {
                Job match;
                match.*from = job.*to;
                (more.give(job, match), ...);
                option.set(match, text);
                job.*to = match.*from;
                (more.take(match, job), ...);
            }};
}

/// How images are read, which several options change.
struct ReadingMember {
    static void give(const FeaturesJob& job, Job& match) { match.reading = job.reading; }
    static void take(const Job& match, FeaturesJob& job) { job.reading = match.reading; }
};

Row fileRow(const std::string& name, const std::string& help, path FeaturesJob::*file,
            const std::string& value = "FILE") {
    return {{name, value, help},
            ValueKind::Text,
            [file](const FeaturesJob& job) {
                return (job.*file).empty() ? std::nullopt : std::optional((job.*file).string());
            },
            [file, name](FeaturesJob& job, const std::string& text) {
                if (text.empty() || text.find('\0') != std::string::npos) {
                    refuseValue(name, "the name of a file", text);
                }
                job.*file = text;
            }};
}

/// A number from `least` to `most`. An empty value stands for a default that the image decides.
Row numberRow(const std::string& name, const std::string& value, const std::string& help,
              double least, double most,
              std::function<std::optional<double>(const FeaturesJob&)> read,
              std::function<void(FeaturesJob&, double)> write) {
    return {
        {name, value, help},
        ValueKind::Number,
        [read](const FeaturesJob& job) {
            const std::optional<double> number = read(job);
            return number == read({}) ? std::nullopt : std::optional(detail::shortest(*number));
        },
        [name, least, most, write = std::move(write)](FeaturesJob& job, const std::string& text) {
            double number = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), number);
            if (error != std::errc{} || end != text.data() + text.size() ||
                !(number >= least && number <= most)) {
                const std::string upper =
                    std::isfinite(most) ? " to " + detail::shortest(most) : " or more";
                refuseValue(name, "a number of " + detail::shortest(least) + upper, text);
            }
            write(job, number);
        }};
}

Row scalesRow() {
    return {
        {"scales", "A:B:N",
         "N scales sigma from A to B voxels, each the same factor larger (default: 2 to a "
         "tenth of the smallest extent, 12 of them)"},
        ValueKind::Text,
        [](const FeaturesJob& job) {
            const features::ScaleRange& scales = job.detector.scales;
            return scales == features::ScaleRange{}
                       ? std::nullopt
                       : std::optional(detail::shortest(scales.first) + ":" +
                                       detail::shortest(scales.last) + ":" +
                                       std::to_string(scales.count));
        },
        [](FeaturesJob& job, const std::string& text) { job.detector.scales = parseScales(text); }};
}

Row channelsRow() {
    using features::Channels;
    std::vector<std::string> words;
    for (const Channels channels : {Channels::Auto, Channels::Grey, Channels::Ohta}) {
        words.emplace_back(features::name(channels));
    }
    return detail::wordRow<FeaturesJob>(
        "channels", "grey values, or three planes of colour; auto: planes if the image has colour",
        std::move(words),
        [](const FeaturesJob& job) { return std::string(features::name(job.channels)); },
        [](FeaturesJob& job, const std::string& text) {
            for (const Channels channels : {Channels::Auto, Channels::Grey, Channels::Ohta}) {
                if (text == features::name(channels)) {
                    job.channels = channels;
                }
            }
        });
}

Row formatRow() {
    return {{"blobs-format", "FORMAT",
             "format of the list of blobs; auto: by extension; else as --peaks-format of match, "
             "without relion4 and relion5 (flcc-cli peaks writes these)"},
            ValueKind::Text,
            [](const FeaturesJob& job) {
                return job.blobsFormat == io::ListFormat::Auto
                           ? std::nullopt
                           : std::optional(std::string(io::name(job.blobsFormat)));
            },
            [](FeaturesJob& job, const std::string& text) {
                job.blobsFormat = io::listFormatNamed(text, "--blobs-format");
            }};
}

/// The row under another name.
Row named(const std::string& name, Row row) {
    row.option.name = name;
    return row;
}

std::vector<Row> makeRows() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {
        fileRow("image", "image or volume; may be a plain argument", &FeaturesJob::image),
        fileRow("blobs", "list of blobs; .csv, .tsv, .json, .mrk.json (3D Slicer) and others",
                &FeaturesJob::blobs),
        formatRow(),
        scalesRow(),
        detail::countRow<FeaturesJob>(
            "levels", "N", "levels of values that are compared (default: 128)", 2,
            features::kMostLevels, [](const FeaturesJob& job) { return job.detector.levels; },
            [](FeaturesJob& job, std::int64_t n) { job.detector.levels = static_cast<int>(n); }),
        channelsRow(),
        numberRow(
            "min-strength", "S",
            "least strength of a blob (default: a tenth of the range of the values without "
            "outliers)",
            0, kInfinity, [](const FeaturesJob& job) { return job.detector.minStrength; },
            [](FeaturesJob& job, double s) { job.detector.minStrength = s; }),
        detail::countRow<FeaturesJob>(
            "max-blobs", "N", "longest list (default: 1000)", 1, std::numeric_limits<int>::max(),
            [](const FeaturesJob& job) { return job.detector.maxBlobs; },
            [](FeaturesJob& job, std::int64_t n) { job.detector.maxBlobs = n; }),
        numberRow(
            "overlap", "R", "largest share of a blob that a stronger one may cover (default: 0.5)",
            0, 1, [](const FeaturesJob& job) { return std::optional(job.detector.overlap); },
            [](FeaturesJob& job, double r) { job.detector.overlap = r; }),
        fileRow("strength", "image of the largest response over the scales",
                &FeaturesJob::strength),
        fileRow("scale-map", "image of the scale with that response", &FeaturesJob::scaleMap),
        fileRow("match", "finds blobs in a second image too and matches them; needs --pairs",
                &FeaturesJob::match, "IMAGE"),
        fileRow("pairs", "list of pairs of blobs that look alike; .csv or .tsv",
                &FeaturesJob::pairs),
        numberRow(
            "min-score", "R", "least score (LCC) of a pair (default: 0.7)", -1, 1,
            [](const FeaturesJob& job) { return std::optional(job.minScore); },
            [](FeaturesJob& job, double r) { job.minScore = r; }),
        matchRow("channel", &Job::channel, &FeaturesJob::channel),
        matchRow("frame", &Job::frame, &FeaturesJob::frame),
        matchRow("orientation", &Job::reading, &FeaturesJob::reading),
        named("image-number", matchRow("image", &Job::reading, &FeaturesJob::reading)),
        matchRow("spacing", &Job::spacing, &FeaturesJob::spacing, ReadingMember{}),
        matchRow("world", &Job::world, &FeaturesJob::world),
        matchRow("threads", &Job::threads, &FeaturesJob::threads),
        matchRow("memory", &Job::memoryBytes, &FeaturesJob::memoryBytes),
        fileRow("report", "write the blobs, times and versions; .json", &FeaturesJob::report),
    };
}

const detail::OptionTable<FeaturesJob>& table() {
    static const detail::OptionTable<FeaturesJob> kTable("features", makeRows());
    return kTable;
}

} // namespace

std::vector<CommandOption> featuresOptions() { return table().options(); }

std::string featuresHelp() { return table().help(); }

void setFeaturesOptions(FeaturesJob& job, const std::map<std::string, std::string>& values) {
    table().set(job, values);
}

std::string toJobFile(const FeaturesJob& job) { return table().toFile(job); }

FeaturesJob featuresFromJobFile(std::string_view text) {
    FeaturesJob job;
    table().set(job, table().fromFile(text));
    return job;
}

} // namespace flcc::job
