#include "engine/job/kinds/job_again.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/any_job.h"
#include "engine/job/knowledge.h"
#include "engine/job/output/export_files.h"

namespace flcc::job::detail {

using json::Json;
using std::filesystem::path;

namespace {

/// The job's own progress; maps are wanted where the report has the digest of one.
class ReplaySink : public JobSink {
  public:
    ReplaySink(JobSink* heard, bool maps) : m_heard(heard), m_maps(maps) {}
    [[nodiscard]] bool wantsMaps() const override { return m_maps; }
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
    bool m_maps;
};

/// Whether a report has this value as a text.
bool states(const Json& report, const char* key) { return report.value(key, Json()).is_string(); }

/// Lets a job run the candidate that the report `file` chose, if it chose one.
void chooseAgain(PlannedJob& job, const path& file, const Json& holder) {
    static_cast<GivenPlan&>(job) = {};
    static_cast<Repetition&>(job) = {};
    if (holder.value("chosen", Json()).is_object()) {
        job.takePlan(file);
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

/// The audit is made where it was made: its predicted time decided, which is no part of a result.
Audit auditOf(const Job& job, const Json& before) {
    const Json audit = before.value("audit", Json());
    if (!audit.is_object()) {
        return job.audit;
    }
    const auto isMade = [](const Json& verdict) { return verdict.is_string() && verdict != "off"; };
    bool made = isMade(audit.value("verdict", Json()));
    if (const Json frames = before.value("frames", Json()); frames.is_array()) {
        made = std::ranges::all_of(
            frames, [&](const Json& frame) { return isMade(frame.value("audit", Json())); });
    }
    return made ? Audit::On : Audit::Off;
}

/// A report as the run that wrote it would state it: the row of the plan that ran is the chosen
/// one.
void takePlan(Json& now, const Json& before) {
    Json chosen = nullptr;
    for (const Json& row : before.value("candidates", Json::array())) {
        if (row.is_object() && row.value("verdict", Json()) == "chosen") {
            chosen = row;
        }
    }
    now["chosen"] = chosen;
}

Again again(const Job& stated, const path& file, const Json& before, const std::stop_token& stop,
            JobSink& sink) {
    Job job = stated.asked();
    const Json groups = before.value("groups", Json::array());
    static_cast<Repetition&>(job) = {};
    for (const Search search : {Search::Exhaustive, Search::Pruned, Search::Heuristic}) {
        if (searchOf(before) == name(search)) { // as it was chosen, on whatever machine
            job.poses.search = search;
        }
    }
    if (!job.poses.prunes()) { // which has nothing to choose
        chooseAgain(job, file, groups.empty() ? before : groups.at(0));
        job.audit = auditOf(job, before);
    }
    auto result = std::make_shared<JobResult>(runJob(job, imagesOf(before, job), stop, &sink));
    Again done{.cancelled = result->cancelled || !reportBoxes(stated, *result, stop), .report = {}};
    if (done.cancelled) {
        return done;
    }
    if (result->map && !job.stream) {
        result->report.mapSha256 = mapDigest(*result->map);
    }
    done.report = json::restored(Json::parse(toJson(result->report)));
    takePlan(done.report, before);
    for (std::size_t i = 0; i < std::min(groups.size(), done.report.at("groups").size()); ++i) {
        takePlan(done.report["groups"][i], groups[i]);
    }
    if (result->map && !job.stream) {
        done.map = {.values = method::scoresOf(*result->map), .file = stated.map};
        done.held = result;
    }
    return done;
}

Again again(const ConvolveJob& stated, const path& file, const Json& before,
            const std::stop_token& stop, JobSink& sink) {
    ConvolveJob job = stated.asked();
    chooseAgain(job, file, before);
    job.parts = job.planReport.empty() ? job.parts : 0;
    const std::string sample = sampleOf(before);
    ConvolveImages images;
    if (!sample.empty()) {
        images.scene = sampleImages(sample).scene;
    }
    auto result = std::make_shared<ConvolveResult>(runConvolve(job, images, stop, &sink));
    Again done{.cancelled = result->cancelled, .report = {}};
    if (result->cancelled) {
        return done;
    }
    const base::AnyView values = base::viewOf(result->pixels);
    result->report.mapSha256 = job.stream ? std::string() : imageDigest(values);
    done.report = json::restored(Json::parse(toJson(result->report)));
    takePlan(done.report, before);
    if (!job.stream) {
        done.map = {.values = values, .file = stated.output};
        done.held = result;
    }
    return done;
}

Again again(const FeaturesJob& stated, const path& /*file*/, const Json& before,
            const std::stop_token& stop, JobSink& sink) {
    FeaturesJob job = stated.asked();
    job.detector.maps = states(before, "strength_sha256") || states(before, "scale_map_sha256");
    const std::string sample = sampleOf(before);
    const FeaturesImage image = sample.empty() ? loadFeaturesImage(job, job.scene, stop)
                                               : featuresImage(sampleImages(sample).scene);
    Again done;
    done.cancelled = image.components.empty();
    if (done.cancelled) {
        return done;
    }
    FeaturesResult result = runFeatures(job, image, nullptr, stop, &sink);
    done.cancelled = result.cancelled;
    if (done.cancelled) {
        return done;
    }
    if (result.detection.strength.count() > 0) {
        result.strengthSha256 = imageDigest(result.detection.strength.view());
        result.scaleMapSha256 = imageDigest(result.detection.scale.view());
    }
    done.report = json::restored(Json::parse(toJson(result)));
    return done;
}

void noteHost(const Json& before, const Json& now, std::vector<std::string>& notes) {
    const Json then = before.value("environment", Json::object());
    for (const char* const key : {"processor", "instructions"}) {
        if (then.value(key, Json()) != now.at("environment").at(key)) {
            notes.push_back("the report was made with the " + std::string(key) + " " +
                            then.value(key, Json()).dump() + ", this machine has " +
                            now.at("environment").at(key).dump());
        }
    }
}

} // namespace

Again runAgain(const path& file, const Json& before, const std::stop_token& stop, JobSink* sink) {
    const AnyJob stated = anyFromJobFile(json::stored(before.at("job")).dump());
    ReplayedInputs inputs = findInputs(file, before, stated, stop);
    if (stop.stop_requested()) {
        return {.cancelled = true, .report = {}};
    }
    if (!inputs.faults.empty()) {
        throw base::Error(base::ErrorCode::Input,
                          file.string() + " cannot be run again: " + inputs.faults);
    }
    const NothingKept forgets;
    const AnyJob job = anyFromJobFile(json::stored(movedJob(before.at("job"), inputs)).dump());
    ReplaySink heard(sink, states(before, "map_sha256"));
    Again done =
        std::visit([&](const auto& one) { return again(one, file, before, stop, heard); }, job);
    done.inputs = std::move(inputs);
    if (!done.cancelled) {
        done.report["command_line"] = toCommandLine(stated);
    }
    return done;
}

Replay compareAgain(const Json& before, const Again& done, const std::stop_token& stop) {
    const bool bothMaps = states(before, "map_sha256") && states(done.report, "map_sha256");
    const bool sameMap = bothMaps && before.at("map_sha256") == done.report.at("map_sha256");
    const ComparedReports all = compareReports({.before = before,
                                                .now = done.report,
                                                .sameMap = sameMap,
                                                .isExact = done.report.at("command") == "features",
                                                .moved = done.inputs.moved});
    std::vector<Found> found{all.found};
    if (bothMaps && done.map) {
        OtherMap map = *done.map;
        map.bound = largestBound(before) + largestBound(done.report);
        map.sameStatistics = all.map.verdict == Replay::Verdict::Identical;
        found.push_back(sameMap
                            ? Found{Replay::Verdict::Identical,
                                    "the map of " + base::toString(base::extentsOf(map.values)) +
                                        " voxels is the same, bit for bit"}
                            : compareMaps(map, stop));
    }
    Replay outcome;
    for (const Found& one : found) {
        outcome.verdict = std::max(outcome.verdict, one.verdict);
    }
    outcome.sentence = name(outcome.verdict);
    const char* separator = ": ";
    for (const Found& one : found) { // the worst verdict gives the reasons
        if (one.verdict == outcome.verdict && !one.sentence.empty()) {
            outcome.sentence += std::exchange(separator, "; ") + one.sentence;
        }
    }
    outcome.notes = done.inputs.notes;
    noteHost(before, done.report, outcome.notes);
    outcome.unchecked = all.unchecked;
    return outcome;
}

} // namespace flcc::job::detail
