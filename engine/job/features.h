#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/base/spacing.h"
#include "engine/features/detector.h"
#include "engine/features/pairs.h"
#include "engine/io/list_file.h"
#include "engine/io/protected_files.h"
#include "engine/job/command_line.h"
#include "engine/job/job.h"
#include "engine/job/report.h"

namespace flcc::job {

/// What a search for blobs is asked. Its memory limit counts beside the image.
struct FeaturesQuestion : Common {
    features::Channels channels = features::Channels::Auto;
    features::DetectorOptions detector{}; ///< `threads`, `maps` and `edges` are set by the job

    /// If set, blobs are found in this image too, with the same options, and matched.
    std::filesystem::path match{};
    double minScore = 0.7; ///< least score of a pair

    friend bool operator==(const FeaturesQuestion&, const FeaturesQuestion&) = default;
};

/// A complete job of `flcc-cli features`.
struct FeaturesJob : FeaturesQuestion, CommonOutputs {
    std::filesystem::path blobs{};
    io::ListFormat blobsFormat = io::ListFormat::Auto;
    std::filesystem::path strength{}; ///< largest response over the scales, float32
    std::filesystem::path scaleMap{}; ///< sigma of that response, float32
    std::filesystem::path pairs{};    ///< list of pairs, .csv or .tsv

    /// The same search without any output.
    [[nodiscard]] FeaturesJob asked() const;

    friend bool operator==(const FeaturesJob&, const FeaturesJob&) = default;
};

/// An image in memory, one plane for each colour component.
struct FeaturesImage {
    std::vector<std::shared_ptr<const base::AnyImage>> components;
    base::Geometry geometry;
    std::vector<InputReport> inputs; ///< files and digests
    std::vector<std::string> notes;
    double readMs = 0;
};

struct FeaturesRun {
    double readMs = 0;
    double executeMs = 0; ///< from the image in memory to the list of blobs
    double writeMs = 0;
    double matchMs = 0;              ///< comparing blobs of both images
    std::int64_t predictedBytes = 0; ///< beside the image and the lists
    std::int64_t peakBytes = 0;      ///< measured
    int threads = 1;
};

struct FeaturesResult {
    bool cancelled = false;
    FeaturesJob job;
    base::Extents extents;
    base::PixelType pixel = base::PixelType::UInt8;
    features::Channels channels = features::Channels::Grey; ///< never Auto
    base::Geometry geometry;
    features::Detection detection;
    base::Point edges{1, 1, 1}; ///< of a voxel, in the unit of scales and radii
    /// The second image, if the job has one.
    base::Extents matchExtents{0, 0, 0};
    features::Detection matchDetection;
    std::vector<features::Pair> pairs; ///< `a`: blob of `detection`, `b`: of `matchDetection`
    /// Of the values of the maps; empty without a report file and for a map that was not made.
    std::string strengthSha256;
    std::string scaleMapSha256;
    FeaturesRun run;
    Environment environment;
    std::vector<InputReport> inputs;
    std::vector<std::string> notes;
};

/// Reads an image with its colours; without components if cancelled. `file` is the image of the job
/// or the one that is matched. **Errors**: as io::readImage.
[[nodiscard]] FeaturesImage loadFeaturesImage(const FeaturesJob& job,
                                              const std::filesystem::path& file,
                                              const std::stop_token& stop = {});

/// A scene that is in memory, as one plane of grey values, which it shares.
[[nodiscard]] FeaturesImage featuresImage(const std::shared_ptr<const SceneImage>& scene);

/// Bytes that the job allocates beside the image.
[[nodiscard]] std::int64_t predictedBytes(const FeaturesJob& job, const base::Extents& extents);
/// **Errors**: Memory, if that is more than the job's limit.
void requireFeaturesMemory(const FeaturesJob& job, const base::Extents& extents);

/// Runs the job on the calling thread and writes its outputs: all of them or none. Cancelling is a
/// result and takes less than a second.
/// **Errors**: those of features::detect(); Memory, before anything is allocated, when the job
/// needs more than its limit; Input, CommandLine and Output for its files.
[[nodiscard]] FeaturesResult runFeatures(const FeaturesJob& job, const std::stop_token& stop = {},
                                         JobSink* sink = nullptr);
/// The same for images in memory. `second` is null without a second image, or if the job reads it.
[[nodiscard]] FeaturesResult runFeatures(const FeaturesJob& job, const FeaturesImage& image,
                                         const FeaturesImage* second = nullptr,
                                         const std::stop_token& stop = {}, JobSink* sink = nullptr);

/// The files that the job reads, and those that it writes.
[[nodiscard]] io::ProtectedFiles inputFiles(const FeaturesJob& job);
[[nodiscard]] std::vector<std::filesystem::path> outputFiles(const FeaturesJob& job);

/// "A:B:N". **Errors**: CommandLine.
[[nodiscard]] features::ScaleRange parseScales(std::string_view text);

/// The list of blobs as the bytes of a file. **Errors**: as io::listText.
[[nodiscard]] std::string blobsAsText(const FeaturesResult& result, io::ListFormat format);
/// Writes it to the temporary name of `file`. **Errors**: as io::writeList; CommandLine if the
/// extension does not say the format.
void writeBlobs(const io::AtomicFile& file, const FeaturesResult& result, io::ListFormat format);
/// The list of pairs as CSV (',') or TSV ('\t').
[[nodiscard]] std::string pairsAsText(const FeaturesResult& result, char separator);

[[nodiscard]] std::string toJson(const FeaturesResult& result);
/// A few lines for a terminal.
[[nodiscard]] std::string toSummary(const FeaturesResult& result);
/// The unit of scales and radii: "voxels", or "edges of a voxel along x (0.5 mm)" where voxels are
/// oblong.
[[nodiscard]] std::string unitOfSizes(const FeaturesResult& result);

} // namespace flcc::job
