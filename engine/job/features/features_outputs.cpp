#include "engine/job/features/features_outputs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/io/image_file.h"
#include "engine/job/output/export_files.h"
#include "engine/job/output/outputs.h"

namespace flcc::job {

namespace {

std::string lowerName(const std::filesystem::path& file) {
    std::string text = file.filename().string();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

} // namespace

namespace detail {

using base::Error;
using base::ErrorCode;
using std::filesystem::path;

namespace {

bool isTable(const path& file) {
    return lowerName(file).ends_with(".csv") || lowerName(file).ends_with(".tsv");
}

} // namespace

void requireFeaturesOutputs(const FeaturesJob& job) {
    requireOwnOutputs(inputFiles(job), outputFiles(job));
    if (!job.blobs.empty()) {
        (void)io::chosenListFormat(job.blobsFormat, job.blobs, "--blobs-format");
    }
    if (job.match.empty() != job.pairs.empty()) {
        throw Error(ErrorCode::CommandLine, "--match IMAGE and --pairs FILE belong together");
    }
    if (!job.pairs.empty() && !isTable(job.pairs)) {
        throw Error(ErrorCode::CommandLine,
                    "--pairs " + job.pairs.string() + ": the extension must be .csv or .tsv");
    }
    if (!job.report.empty() && !lowerName(job.report).ends_with(".json")) {
        throw Error(ErrorCode::CommandLine,
                    "--report " + job.report.string() + ": the extension must be .json");
    }
}

void requireFeaturesMaps(const FeaturesJob& job, const base::Extents& extents) {
    for (const path& map : {job.strength, job.scaleMap}) {
        if (!map.empty()) {
            io::requireWritable(map, base::PixelType::Float32, extents);
        }
    }
}

bool writeFeaturesOutputs(FeaturesResult& result, const std::stop_token& stop) {
    const base::Stopwatch watch;
    const FeaturesJob& job = result.job;
    OutputFiles files;
    const auto map = [&](const path& target, const base::Image<float>& image) {
        return files.addImage(target, image.view(), result.geometry, result.notes, stop);
    };
    if (!map(job.strength, result.detection.strength) ||
        !map(job.scaleMap, result.detection.scale)) {
        return false;
    }
    if (!job.blobs.empty()) {
        (void)files.add(job.blobs, [&](const io::AtomicFile& file) {
            writeBlobs(file, result, job.blobsFormat);
            return true;
        });
    }
    files.addText(job.pairs, [&] {
        return pairsAsText(result, lowerName(job.pairs).ends_with(".tsv") ? '\t' : ',');
    });
    if (!job.report.empty() && result.detection.strength.count() > 0) {
        result.strengthSha256 = imageDigest(result.detection.strength.view());
        result.scaleMapSha256 = imageDigest(result.detection.scale.view());
    }
    result.run.writeMs = watch.ms();
    files.addText(job.report, [&] { return toJson(result); });
    if (stop.stop_requested()) {
        return false;
    }
    files.commit();
    return true;
}

} // namespace detail

} // namespace flcc::job
