#include "engine/job/kinds/job_again.h"

#include <utility>

#include "engine/job/output/export_files.h"

namespace flcc::job::detail {

using json::Json;
using std::filesystem::path;

namespace {

/// The job's own progress; maps are wanted, because they are compared.
class ReplaySink : public JobSink {
  public:
    explicit ReplaySink(JobSink* heard) : m_heard(heard) {}
    void phase(Phase now) override {
        if (m_heard != nullptr) {
            m_heard->phase(now);
        }
    }
    void doing(std::string_view word) override {
        if (m_heard != nullptr) {
            m_heard->doing(word);
        }
    }
    void progress(double share) override {
        if (m_heard != nullptr) {
            m_heard->progress(share);
        }
    }

  private:
    JobSink* m_heard;
};

/// Lets a job run the candidate that the report `file` chose, if it chose one.
void chooseAgain(PlannedJob& job, const path& file, const Json& holder) {
    const PlannedJob none;
    job.report.clear();
    job.planReport.clear();
    job.repeat = 1;
    if (holder.value("chosen", Json()).is_object()) {
        job.method = none.method;
        job.tile = none.tile;
        job.device = none.device;
        job.threads = none.threads;
        job.transforms = none.transforms;
        job.planning = none.planning;
        job.planReport = file;
    }
}

/// The name of the sample that the scene is; empty for another scene.
std::string sampleOf(const Json& report) {
    for (const Json& input : report.value("inputs", Json::array())) {
        const std::string name = input.value("path", "");
        const std::string role = input.value("role", "");
        if ((role == "scene" || role == "image") && name.starts_with(kSample)) {
            return name.substr(kSample.size());
        }
    }
    return {};
}

/// The images of a scene that no file holds: those of a sample.
JobImages imagesOf(const Json& report, const Job& job) {
    const std::string sample = sampleOf(report);
    if (sample.empty()) {
        return {};
    }
    JobImages images = sampleImages(sample);
    if (!job.crops.empty() || !job.templates.empty()) {
        images.templates.clear();
    }
    return images;
}

Again again(Job job, const path& file, const Json& before, const std::stop_token& stop,
            JobSink& sink) {
    const path mapFile = job.map;
    const Job none;
    job.map = job.status = job.index = job.peaks = job.heatmap = none.map;
    job.templateOut = none.templateOut;
    job.searchMaps.clear();
    job.exports = none.exports;
    job.slice.reset();
    const Json groups = before.value("groups", Json::array());
    chooseAgain(job, file, groups.empty() ? before : groups.at(0));
    const JobResult result = runJob(job, imagesOf(before, job), stop, &sink);
    Again done{.cancelled = result.cancelled, .report = {}, .found = {}};
    if (result.cancelled) {
        return done;
    }
    done.report = Json::parse(toJson(result.report));
    std::optional<MapAgain> map;
    if (result.map && before.value("map_sha256", Json()).is_string()) {
        map = {method::scoresOf(*result.map), mapDigest(*result.map), mapFile};
    }
    done.found = {
        comparePeaks(before.value("peaks", Json::array()),
                     done.report.value("peaks", Json::array())),
        compareFrames(before.value("frames", Json()), done.report.value("frames", Json())),
        compareMaps(before, done.report, map, stop)};
    return done;
}

Again again(ConvolveJob job, const path& file, const Json& before, const std::stop_token& stop,
            JobSink& sink) {
    const path mapFile = job.output;
    job.output.clear();
    chooseAgain(job, file, before);
    job.parts = job.planReport.empty() ? job.parts : 0;
    const std::string sample = sampleOf(before);
    ConvolveImages images;
    if (!sample.empty()) {
        images.scene = sampleImages(sample).scene;
    }
    const ConvolveResult result = runConvolve(job, images, stop, &sink);
    Again done{.cancelled = result.cancelled, .report = {}, .found = {}};
    if (result.cancelled) {
        return done;
    }
    done.report = Json::parse(toJson(result.report));
    std::optional<MapAgain> map;
    if (before.value("map_sha256", Json()).is_string()) {
        const base::AnyView values = base::viewOf(result.pixels);
        map = {values, imageDigest(values), mapFile};
    }
    done.found = {compareConvolvedFrames(before.value("frames", Json()), done.report.at("frames")),
                  compareMaps(before, done.report, map, stop)};
    return done;
}

Again again(FeaturesJob job, const path& /*file*/, const Json& before, const std::stop_token& stop,
            JobSink& sink) {
    job.detector.maps = !job.strength.empty() || !job.scaleMap.empty();
    const Job none;
    job.blobs = job.strength = job.scaleMap = job.pairs = job.report = none.report;
    const std::string sample = sampleOf(before);
    const FeaturesImage image = sample.empty() ? loadFeaturesImage(job, job.scene, stop)
                                               : featuresImage(sampleImages(sample).scene);
    Again done;
    done.cancelled = image.components.empty();
    if (done.cancelled) {
        return done;
    }
    const FeaturesResult result = runFeatures(job, image, nullptr, stop, &sink);
    done.cancelled = result.cancelled;
    if (done.cancelled) {
        return done;
    }
    done.report = Json::parse(toJson(result));
    const auto digestOf = [](const base::Image<float>& map) {
        return map.count() > 0 ? Json(imageDigest(map.view())) : Json();
    };
    done.found = {
        compareRows("blob", before.value("blobs", Json::array()), done.report.at("blobs")),
        compareDigests("strengths", before.value("strength_sha256", Json()),
                       digestOf(result.detection.strength)),
        compareDigests("scales", before.value("scale_map_sha256", Json()),
                       digestOf(result.detection.scale))};
    if (const Json pairs = before.value("match", Json()); pairs.is_object()) {
        done.found.push_back(compareRows("pair", pairs.value("pairs", Json::array()),
                                         done.report.at("match").value("pairs", Json::array())));
    }
    return done;
}

} // namespace

Again runAgain(const AnyJob& job, const path& file, const Json& before, const std::stop_token& stop,
               JobSink* sink) {
    ReplaySink heard(sink);
    return std::visit([&](const auto& one) { return again(one, file, before, stop, heard); }, job);
}

} // namespace flcc::job::detail
