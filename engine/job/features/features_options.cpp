#include "engine/job/features/features_options.h"

#include <optional>

#include "engine/job/options/common_options.h"
#include "engine/job/options/option_kinds.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace {

using namespace detail::kinds;
namespace rows = detail::rows;
using Row = detail::Option<FeaturesJob>;

Row scalesRow() {
    return {.name = "scales",
            .value = "A:B:N",
            .help =
                "N scales sigma from A to B voxels (of oblong ones: shortest edges), each the same "
                "factor larger (default: 2 to "
                "a tenth of the smallest extent, 12 of them)",
            .get = [](const FeaturesJob& job) -> std::optional<std::string> {
                const features::ScaleRange& scales = job.detector.scales;
                if (scales == features::ScaleRange{}) {
                    return std::nullopt;
                }
                return detail::shortest(scales.first) + ":" + detail::shortest(scales.last) + ":" +
                       std::to_string(scales.count);
            },
            .set = [](FeaturesJob& job,
                      const std::string& text) { job.detector.scales = parseScales(text); }};
}

Row formatRow() {
    return {.name = "blobs-format",
            .value = "FORMAT",
            .help = "format of the list of blobs; auto: by extension; else as --peaks-format of "
                    "match, without relion4 and relion5 (flcc-cli peaks writes these)",
            .get =
                [](const FeaturesJob& job) {
                    return job.blobsFormat == io::ListFormat::Auto
                               ? std::nullopt
                               : std::optional(std::string(io::name(job.blobsFormat)));
                },
            .set =
                [](FeaturesJob& job, const std::string& text) {
                    job.blobsFormat = io::listFormatNamed(text, "--blobs-format");
                }};
}

std::vector<Row> makeRows() {
    using features::Channels;
    const auto fileRow = [](const std::string& name, const std::string& help, auto member) {
        return fileOption<FeaturesJob>(name, "FILE", help, member);
    };
    return {
        rows::scene("image", "image or volume; may be a plain argument"),
        fileRow("blobs", "list of blobs; .csv, .tsv, .json, .mrk.json (3D Slicer) and others",
                &FeaturesJob::blobs),
        formatRow(),
        scalesRow(),
        countOption<FeaturesJob>(
            "levels", "N", "levels of values that are compared (default: 128)",
            [](auto&& job) -> auto& { return job.detector.levels; }, 2, features::kMostLevels),
        enumOption<FeaturesJob>(
            "channels",
            "grey values, or three planes of colour; auto: planes if the image has colour",
            &FeaturesJob::channels, std::vector{Channels::Auto, Channels::Grey, Channels::Ohta}),
        numberOption<FeaturesJob>(
            "min-strength", "S",
            "least strength of a blob (default: a tenth of the range of the values without "
            "outliers)",
            [](auto&& job) -> auto& { return job.detector.minStrength; }, 0),
        countOption<FeaturesJob>(
            "max-blobs", "N", "longest list (default: 1000)",
            [](auto&& job) -> auto& { return job.detector.maxBlobs; }, 1, kMostPlanes),
        numberOption<FeaturesJob>(
            "overlap", "R", "largest share of a blob that a stronger one may cover (default: 0.5)",
            [](auto&& job) -> auto& { return job.detector.overlap; }, 0, 1),
        fileRow("strength", "image of the largest response over the scales",
                &FeaturesJob::strength),
        fileRow("scale-map", "image of the scale with that response", &FeaturesJob::scaleMap),
        fileOption<FeaturesJob>("match", "IMAGE",
                                "finds blobs in a second image too and matches them; needs --pairs",
                                &FeaturesJob::match),
        fileRow("pairs", "list of pairs of blobs that look alike; .csv or .tsv",
                &FeaturesJob::pairs),
        numberOption<FeaturesJob>("min-score", "R", "least score (LCC) of a pair (default: 0.7)",
                                  &FeaturesJob::minScore, -1, 1),
        rows::channel(),
        rows::frame(),
        rows::orientation(),
        rows::image().named("image-number"),
        rows::part(),
        rows::spacing(),
        rows::world(),
        rows::threads(),
        rows::memory(),
        rows::report("FILE", "write the blobs, times and versions; .json"),
    };
}

} // namespace

const detail::OptionTable<FeaturesJob>& detail::featuresOptions() {
    static const OptionTable<FeaturesJob> kTable(
        {.name = "features",
         .places = {{"image"}},
         .usage = "one image: flcc-cli features IMAGE [options]",
         .isComplete = [](const FeaturesJob& job) { return !job.scene.empty(); }},
        makeRows());
    return kTable;
}

} // namespace flcc::job
