#include "engine/job/features.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/base/text.h"
#include "engine/io/image_file.h"
#include "engine/job/features/features_outputs.h"
#include "engine/job/input/digests.h"
#include "engine/job/input/inputs.h"
#include "engine/job/input/limits.h"
#include "engine/job/input/world_axes.h"
#include "engine/job/job.h"
#include "engine/job/report/machine.h"
#include "engine/job/report/memory_errors.h"
#include "engine/job/report/text.h"
#include "engine/job/steps/step.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

double numberOf(std::string_view text, std::string_view whole) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        throw Error(ErrorCode::CommandLine,
                    "--scales takes A:B:N, such as 2:40:12, not \"" + base::excerpt(whole) + "\"");
    }
    return value;
}

bool wantsMaps(const FeaturesJob& job) { return !job.strength.empty() || !job.scaleMap.empty(); }

features::DetectorOptions optionsOf(const FeaturesJob& job) {
    features::DetectorOptions options = job.detector;
    options.threads = detail::threadsOf(job);
    options.maps = options.maps || wantsMaps(job);
    return options;
}

void requireMemory(const FeaturesJob& job, const base::Extents& extents, std::int64_t needed) {
    const bool limited = job.memoryBytes > 0;
    const std::int64_t limit = detail::memoryOf(job);
    if (needed <= limit) {
        return;
    }
    throw Error(ErrorCode::Memory,
                base::Message(limited ? "features-beyond-limit" : "features-beyond-free-memory",
                              "features needs {needed} beside the image of {extents} voxels, more "
                              "than " +
                                  std::string(limited ? "the limit of {limit}; raise {--memory}, "
                                                        "or cut or bin the image"
                                                      : "the free memory of {limit}; cut or bin "
                                                        "the image"),
                              {{"needed", detail::bytesText(needed)},
                               {"extents", extents},
                               {"limit", detail::bytesText(limit)}}));
}

} // namespace

features::ScaleRange parseScales(std::string_view text) {
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
    if (second == std::string_view::npos) {
        (void)numberOf("", text);
    }
    features::ScaleRange range;
    range.first = numberOf(text.substr(0, first), text);
    range.last = numberOf(text.substr(first + 1, second - first - 1), text);
    const double count = numberOf(text.substr(second + 1), text);
    if (count != std::floor(count) || count < 3 || count > features::kMostScales) {
        throw Error(ErrorCode::CommandLine, "--scales A:B:N takes a number N of scales from 3 to " +
                                                std::to_string(features::kMostScales) + ", not \"" +
                                                base::excerpt(text.substr(second + 1)) + "\"");
    }
    range.count = static_cast<int>(count);
    return range;
}

FeaturesImage loadFeaturesImage(const FeaturesJob& job, const std::filesystem::path& file,
                                const std::stop_token& stop) {
    io::LoadedImage loaded = io::readImage(file, detail::readOptions(job, stop));
    if (loaded.components.empty()) {
        return {};
    }
    const auto opaque = detail::opacityOf(loaded, file.string());
    FeaturesImage image;
    for (base::AnyImage& component : loaded.components) {
        image.components.push_back(std::make_shared<const base::AnyImage>(std::move(component)));
    }
    image.geometry = withAxes(loaded.info.geometry, worldAxesOf(loaded.info, file));
    image.notes = std::move(loaded.info.notes);
    if (opaque) {
        image.notes.push_back(detail::ignoresOpacity(file.string()));
    }
    InputReport input;
    input.role = file == job.scene ? "image" : "match";
    input.path = file.string();
    detail::setDigests(input, std::move(loaded.files), loaded.info.series);
    for (const std::string& note : image.notes) {
        input.note += (input.note.empty() ? "" : "; ") + note;
    }
    input.reading = job.reading;
    image.inputs.push_back(std::move(input));
    return image;
}

FeaturesImage featuresImage(const std::shared_ptr<const SceneImage>& scene) {
    FeaturesImage image;
    image.components.emplace_back(scene, &scene->pixels);
    image.geometry = scene->geometry;
    image.inputs.push_back(detail::inputReport("image", *scene));
    return image;
}

io::ProtectedFiles inputFiles(const FeaturesJob& job) {
    io::ProtectedFiles inputs;
    inputs.addImage(job.scene);
    inputs.addImage(job.match);
    return inputs;
}

std::vector<std::filesystem::path> outputFiles(const FeaturesJob& job) {
    std::vector<std::filesystem::path> files{job.blobs, job.strength, job.scaleMap, job.report,
                                             job.pairs};
    std::erase_if(files, [](const std::filesystem::path& file) { return file.empty(); });
    return files;
}

std::int64_t predictedBytes(const FeaturesJob& job, const base::Extents& extents) {
    // Stacks of threads and lists of blobs.
    constexpr std::int64_t kSmall = 3 << 19;
    return features::detectorBytes(extents, optionsOf(job)) + kSmall;
}

void requireFeaturesMemory(const FeaturesJob& job, const base::Extents& extents) {
    requireMemory(job, extents, predictedBytes(job, extents));
}

namespace {

features::ChannelImage channelsOf(const FeaturesImage& image, features::Channels channels) {
    std::vector<base::AnyView> views;
    for (const std::shared_ptr<const base::AnyImage>& component : image.components) {
        views.push_back(base::viewOf(*component));
    }
    return {std::move(views), channels};
}

/// Passes the news of a detection to the sink of the job.
class Heard : public features::DetectorSink {
  public:
    explicit Heard(JobSink& sink) : m_sink(sink) {}
    void progress(double share) override { m_sink.progress(share); }
    void found(double sigma, std::span<const features::Blob> blobs) override {
        m_sink.found(sigma, blobs);
    }

  private:
    JobSink& m_sink;
};

/// A search for blobs while its steps are taken.
struct FeaturesState {
    const FeaturesJob& job;
    const std::stop_token& stop;
    JobSink& news;
    FeaturesImage image{};                 ///< read unless it is given
    const FeaturesImage* second = nullptr; ///< likewise, if blobs are matched
    FeaturesImage readSecond{};
    features::DetectorOptions options{};
    FeaturesResult result{};
};

using detail::goIf;
using detail::Next;

Next readFirst(FeaturesState& s) {
    if (!s.image.components.empty()) {
        return Next::Go;
    }
    s.news.enter(Phase::Read);
    const base::Stopwatch watch;
    s.image = loadFeaturesImage(s.job, s.job.scene, s.stop);
    s.image.readMs = watch.ms();
    return goIf(!s.image.components.empty());
}

/// What the image is, before anything is computed.
Next describe(FeaturesState& s) {
    const features::ChannelImage channels = channelsOf(s.image, s.job.channels);
    FeaturesResult& result = s.result;
    s.options = optionsOf(s.job);
    result.job = s.job;
    result.extents = channels.extents();
    result.pixel = base::pixelType(*s.image.components.front());
    result.channels = channels.channels();
    const base::Geometry own = withAxes(s.image.geometry, s.job.world);
    result.geometry = s.job.spacing ? base::withSpacing(own, *s.job.spacing, result.extents) : own;
    s.options.edges = base::voxelEdges(result.geometry, result.extents.z > 1);
    result.edges = s.options.edges;
    result.inputs = s.image.inputs;
    result.notes = s.image.notes;
    result.run.readMs = s.image.readMs;
    result.environment = environment();
    result.run.threads = s.options.threads;
    result.run.predictedBytes = predictedBytes(s.job, result.extents);
    detail::requireFeaturesMaps(s.job, result.extents);
    requireMemory(s.job, result.extents, result.run.predictedBytes);
    return Next::Go;
}

Next detectFirst(FeaturesState& s) {
    FeaturesResult& result = s.result;
    s.news.enter(Phase::Run, "detecting");
    const detail::PeakMeter meter;
    const base::Stopwatch watch;
    Heard heard(s.news);
    result.detection =
        features::detect(channelsOf(s.image, s.job.channels), s.options, s.stop, &heard);
    result.run.executeMs = watch.ms();
    result.run.peakBytes = meter.rise();
    if (result.detection.cancelled) {
        return Next::Stopped;
    }
    if (std::string why = features::whyEmpty(result.detection); !why.empty()) {
        result.notes.push_back(std::move(why));
    }
    const auto listed = static_cast<std::int64_t>(result.detection.blobs.size());
    const std::int64_t left = result.detection.found - result.detection.overlapped - listed;
    if (left > 0) {
        result.notes.push_back("the list ends after " + std::to_string(listed) + " blobs; " +
                               std::to_string(left) + " weaker ones are left out (--max-blobs)");
    }
    return Next::Go;
}

bool matches(const FeaturesState& s) { return s.second != nullptr || !s.job.match.empty(); }

Next readSecond(FeaturesState& s) {
    if (s.second != nullptr || !matches(s)) {
        return Next::Go;
    }
    s.news.enter(Phase::Read);
    s.readSecond = loadFeaturesImage(s.job, s.job.match, s.stop);
    const std::vector<InputReport>& inputs = s.readSecond.inputs;
    s.result.inputs.insert(s.result.inputs.end(), inputs.begin(), inputs.end());
    s.second = &s.readSecond;
    return goIf(!s.readSecond.components.empty());
}

Next detectSecond(FeaturesState& s) {
    if (!matches(s)) {
        return Next::Go;
    }
    FeaturesResult& result = s.result;
    const features::ChannelImage channels = channelsOf(*s.second, s.job.channels);
    result.matchExtents = channels.extents();
    if ((result.extents.z > 1) != (result.matchExtents.z > 1)) {
        throw Error(ErrorCode::Problem, "an image of " + base::toString(result.extents) +
                                            " and one of " + base::toString(result.matchExtents) +
                                            " voxels cannot be matched; both must be images or "
                                            "volumes");
    }
    features::DetectorOptions options = s.options;
    options.maps = false;
    const base::Geometry stated = withAxes(s.second->geometry, s.job.world);
    options.edges = base::voxelEdges(
        s.job.spacing ? base::withSpacing(stated, *s.job.spacing, result.matchExtents) : stated,
        result.matchExtents.z > 1);
    requireMemory(s.job, result.matchExtents,
                  features::detectorBytes(result.matchExtents, options));
    s.news.enter(Phase::Run, "detecting in the second image");
    Heard heard(s.news);
    result.matchDetection = features::detect(channels, options, s.stop, &heard);
    return goIf(!result.matchDetection.cancelled);
}

Next matchBoth(FeaturesState& s) {
    if (!matches(s)) {
        return Next::Go;
    }
    FeaturesResult& result = s.result;
    const std::int64_t needed =
        base::byteCount(result.extents, sizeof(float)) +
        base::byteCount(result.matchExtents, sizeof(float)) +
        features::pairBytes(result.detection.blobs.size(), result.matchDetection.blobs.size(),
                            result.extents.z > 1);
    requireMemory(s.job, result.extents, needed);
    s.news.enter(Phase::Run);
    const base::Stopwatch watch;
    const base::Image<float> a = features::greyImage(channelsOf(s.image, features::Channels::Grey));
    const base::Image<float> b =
        features::greyImage(channelsOf(*s.second, features::Channels::Grey));
    const bool done = features::matchBlobs(
        {a.view(), result.detection.blobs}, {b.view(), result.matchDetection.blobs},
        {.minScore = s.job.minScore, .threads = s.options.threads}, s.stop,
        [&s](double share) { s.news.progress(share); }, result.pairs);
    result.run.matchMs = watch.ms();
    return goIf(done);
}

Next write(FeaturesState& s) {
    s.news.enter(Phase::Write);
    return goIf(detail::writeFeaturesOutputs(s.result, s.stop));
}

using FeaturesStep = detail::Step<FeaturesState, FeaturesJob>;

constexpr std::array kFeaturesSteps{
    FeaturesStep{.name = "read", .run = readFirst},
    FeaturesStep{.name = "image", .run = describe},
    FeaturesStep{.name = "blobs", .run = detectFirst},
    FeaturesStep{.name = "read the second image", .run = readSecond},
    FeaturesStep{.name = "blobs of the second image", .run = detectSecond},
    FeaturesStep{.name = "pairs", .run = matchBoth},
    FeaturesStep{.name = "write", .run = write, .refuse = detail::requireFeaturesOutputs},
};

FeaturesResult run(FeaturesState&& s) {
    const std::span<const FeaturesStep> steps(kFeaturesSteps);
    s.result.cancelled = !detail::take(steps, s, s.job);
    return std::move(s.result);
}

constexpr const char* kThisSearch = "this search for blobs";
constexpr const char* kSmallerImage = "cut or bin the image";

} // namespace

FeaturesJob FeaturesJob::asked() const {
    FeaturesJob question;
    static_cast<FeaturesQuestion&>(question) = *this;
    return question;
}

FeaturesResult runFeatures(const FeaturesJob& job, const std::stop_token& stop, JobSink* sink) {
    JobSink silent;
    return detail::withMemoryErrors(kThisSearch, kSmallerImage, [&] {
        detail::requireSteps(std::span<const FeaturesStep>(kFeaturesSteps), job);
        return run({.job = job, .stop = stop, .news = sink != nullptr ? *sink : silent});
    });
}

FeaturesResult runFeatures(const FeaturesJob& job, const FeaturesImage& image,
                           const FeaturesImage* second, const std::stop_token& stop,
                           JobSink* sink) {
    JobSink silent;
    return detail::withMemoryErrors(kThisSearch, kSmallerImage, [&] {
        return run({.job = job,
                    .stop = stop,
                    .news = sink != nullptr ? *sink : silent,
                    .image = image,
                    .second = second});
    });
}

} // namespace flcc::job
