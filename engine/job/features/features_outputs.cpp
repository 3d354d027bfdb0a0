#include "engine/job/features/features_outputs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/io/image_file.h"
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
    const std::vector<path> outputs = outputFiles(job);
    requireOwnFiles(inputFiles(job), outputs);
    for (const path& output : outputs) {
        requireFolder(output);
    }
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
        return target.empty() || files.add(target, [&](const io::AtomicFile& file) {
            const auto dropped = io::writeImage(file, image.view(), result.geometry, {}, stop);
            for (const std::string& note : dropped.value_or(std::vector<std::string>{})) {
                result.notes.push_back(target.filename().string() + ": " + note);
            }
            return dropped.has_value();
        });
    };
    const auto text = [&](const path& target, const auto& make) {
        return target.empty() || files.add(target, [&](const io::AtomicFile& file) {
            io::writeText(file, make());
            return true;
        });
    };
    const auto blobs = [&](const path& target) {
        return target.empty() || files.add(target, [&](const io::AtomicFile& file) {
            writeBlobs(file, result, job.blobsFormat);
            return true;
        });
    };
    const auto pairs = [&] {
        return pairsAsText(result, lowerName(job.pairs).ends_with(".tsv") ? '\t' : ',');
    };
    const bool written = map(job.strength, result.detection.strength) &&
                         map(job.scaleMap, result.detection.scale) && blobs(job.blobs) &&
                         text(job.pairs, pairs);
    result.run.writeMs = watch.ms();
    if (!written || !text(job.report, [&] { return toJson(result); }) || stop.stop_requested()) {
        return false;
    }
    files.commit();
    return true;
}

} // namespace detail

} // namespace flcc::job
