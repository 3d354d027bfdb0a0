#include <algorithm>
#include <string>

#include "engine/base/spacing.h"
#include "engine/job/any_job.h"
#include "engine/job/report/export_report.h"
#include "engine/job/report/json_rows.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using detail::bytesText;
using detail::fixed;
using detail::shortest;
using namespace detail::json;

namespace {

Json problemJson(const FeaturesResult& result) {
    const features::Detection& found = result.detection;
    Json channels = Json::array();
    for (const features::ChannelFacts& channel : found.channels) {
        channels.push_back({{"name", channel.name},
                            {"low", channel.low},
                            {"high", channel.high},
                            {"level_step", channel.step},
                            {"minimum", channel.minimum},
                            {"maximum", channel.maximum},
                            {"beyond", channel.beyond},
                            {"distinct_levels", channel.distinct}});
    }
    return {{"operation", "features"},
            {"extents", {result.extents.x, result.extents.y, result.extents.z}},
            {"spacing", result.geometry.spacing},
            {"unit", result.geometry.unit},
            {"unit_source", base::name(result.geometry.unitSource)},
            {"world_axes", axesJson(result.geometry)},
            {"pixel", base::name(result.pixel)},
            {"channels", features::name(result.channels)},
            {"channel_ranges", channels},
            {"levels", result.job.detector.levels},
            {"scales", found.scales},
            {"voxel_edges", result.edges},
            {"min_strength", found.minStrength},
            {"overlap", result.job.detector.overlap},
            {"max_blobs", result.job.detector.maxBlobs},
            {"memory_limit",
             result.job.memoryBytes > 0 ? Json(result.job.memoryBytes) : Json(nullptr)}};
}

Json runJson(const FeaturesResult& result) {
    const features::Stages& stages = result.detection.stages;
    return {{"execute_ms", result.run.executeMs},
            {"read_ms", result.run.readMs},
            {"write_ms", result.run.writeMs},
            {"stages_ms",
             {{"levels", stages.levelsMs},
              {"filters", stages.filterMs},
              {"maxima", stages.maximaMs},
              {"pairs", result.run.matchMs}}},
            {"host_bytes", result.run.predictedBytes},
            {"peak_host_bytes", result.run.peakBytes},
            {"threads", result.run.threads}};
}

Json blobsJson(const FeaturesResult& result) {
    Json list = Json::array();
    for (const features::Blob& blob : result.detection.blobs) {
        list.push_back({{"rank", list.size() + 1},
                        {"strength", blob.strength},
                        {"centre", blob.centre},
                        {"sigma", blob.sigma},
                        {"radius", blob.radius},
                        {"world", base::toWorld(result.geometry, blob.centre)}});
    }
    return list;
}

/// Null without a second image.
Json matchJson(const FeaturesResult& result) {
    if (result.matchExtents.x == 0) {
        return nullptr;
    }
    Json pairs = Json::array();
    for (const features::Pair& pair : result.pairs) {
        const features::Blob& a = result.detection.blobs[pair.a];
        const features::Blob& b = result.matchDetection.blobs[pair.b];
        pairs.push_back({{"rank", pairs.size() + 1},
                         {"score", pair.score},
                         {"a", a.centre},
                         {"b", b.centre},
                         {"asigma", a.sigma},
                         {"bsigma", b.sigma},
                         {"ratio", b.sigma / a.sigma},
                         {"turn", pair.turn}});
    }
    const base::Extents& n = result.matchExtents;
    return {{"image", result.job.match.string()},     {"extents", {n.x, n.y, n.z}},
            {"scales", result.matchDetection.scales}, {"blobs", result.matchDetection.blobs.size()},
            {"min_score", result.job.minScore},       {"pairs", pairs}};
}

} // namespace

std::string toJson(const FeaturesResult& result) {
    const Json json{{"version", kReportVersion},
                    {"command", "features"},
                    {"command_line", toCommandLine(result.job)},
                    {"job", settingsJson(toJobFile(result.job))},
                    {"problem", problemJson(result)},
                    {"run", runJson(result)},
                    {"found", result.detection.found},
                    {"overlapped", result.detection.overlapped},
                    {"listed", result.detection.blobs.size()},
                    {"blobs", blobsJson(result)},
                    {"match", matchJson(result)},
                    {"strength_sha256", orNull(result.strengthSha256)},
                    {"scale_map_sha256", orNull(result.scaleMapSha256)},
                    {"notes", result.notes},
                    {"environment", environmentJson(result.environment)},
                    {"inputs", inputsJson(result.inputs)}};
    return fileText(json);
}

std::string unitOfSizes(const FeaturesResult& result) {
    const base::Point& edges = result.edges;
    if (edges == base::Point{1, 1, 1}) {
        return "voxels";
    }
    const std::size_t axes = result.extents.z > 1 ? 3 : 2;
    const auto axis = static_cast<std::size_t>(
        std::min_element(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(axes)) -
        edges.begin());
    return std::string("edges of a voxel along ") + "xyz"[axis] + " (" +
           shortest(std::abs(result.geometry.spacing[axis])) + " " + result.geometry.unit + ")";
}

std::string toSummary(const FeaturesResult& result) {
    constexpr std::size_t kShown = 10;
    const features::Detection& found = result.detection;
    std::string text = result.job.scene.string() + ": " + base::toString(result.extents) + ", " +
                       std::string(features::name(result.channels)) + ", " +
                       std::to_string(result.job.detector.levels) + " levels, " +
                       std::to_string(found.scales.size()) + " scales from " +
                       fixed(found.scales.front(), 2) + " to " + fixed(found.scales.back(), 2) +
                       " " + unitOfSizes(result) + "\n";
    for (const features::ChannelFacts& channel : found.channels) {
        if (channel.beyond > 0) {
            text += "levels of " + channel.name + " from " + shortest(channel.low) + " to " +
                    shortest(channel.high) + "; " + std::to_string(channel.beyond) +
                    " outliers from " + shortest(channel.minimum) + " to " +
                    shortest(channel.maximum) + " belong to the end levels\n";
        }
    }
    text += std::to_string(found.blobs.size()) + " blobs of strength " +
            shortest(found.minStrength) + " or more (" + std::to_string(found.overlapped) +
            " overlapping ones removed), " + fixed(result.run.executeMs / 1000, 2) + " s on " +
            std::to_string(result.run.threads) + " threads, " +
            bytesText(std::max(result.run.peakBytes, std::int64_t{0})) + "\n";
    if (result.matchExtents.x > 0) {
        text += std::to_string(result.pairs.size()) + " pairs with " + result.job.match.string() +
                " (" + std::to_string(result.matchDetection.blobs.size()) + " blobs there), " +
                fixed(result.run.matchMs / 1000, 2) + " s\n";
    }
    const std::size_t shown = std::min(kShown, found.blobs.size());
    if (shown > 0) {
        text += "rank   strength        x        y        z    radius\n";
    }
    const auto column = [](const std::string& value, std::size_t width) {
        return std::string(width > value.size() ? width - value.size() : 1, ' ') + value;
    };
    for (std::size_t i = 0; i < shown; ++i) {
        const features::Blob& blob = found.blobs[i];
        text += column(std::to_string(i + 1), 4) + column(fixed(blob.strength, 3), 11) +
                column(fixed(blob.centre[0], 2), 9) + column(fixed(blob.centre[1], 2), 9) +
                column(fixed(blob.centre[2], 2), 9) + column(fixed(blob.radius, 2), 10) + "\n";
    }
    if (found.blobs.size() > shown) {
        text += "... " + std::to_string(found.blobs.size() - shown) +
                " more; --blobs FILE writes all\n";
    }
    return text;
}

} // namespace flcc::job
