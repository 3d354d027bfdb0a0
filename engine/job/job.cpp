#include "engine/job/job.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/base/tile_pool.h"
#include "engine/io/atomic_file.h"
#include "engine/job/detail/group_run.h"
#include "engine/job/detail/inputs.h"
#include "engine/job/detail/machine.h"
#include "engine/job/detail/options.h"
#include "engine/job/detail/outputs.h"
#include "engine/job/detail/scenes.h"
#include "engine/job/detail/text.h"
#include "engine/plan/planner.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

/// Runs the job of one scene step by step; each step returns false when it was cancelled.
class Runner {
  public:
    Runner(const Job& job, const JobImages& images, std::stop_token stop, JobSink& sink,
           detail::Stream& stream)
        : m_job(job), m_images(images), m_stop(std::move(stop)), m_sink(sink), m_stream(stream) {}

    [[nodiscard]] JobResult run() {
        m_result.cancelled = !(read(true) && detail::inScene(sceneName(), [this] {
                                   return plan(true) && execute() && findPeaks() && write();
                               }));
        leave();
        return std::move(m_result);
    }

    [[nodiscard]] JobResult planOnly() {
        m_result.cancelled = !(read(false) && detail::inScene(sceneName(), [this] {
                                   return plan(false) && writePlan();
                               }));
        m_result.report.cancelled = m_result.cancelled;
        leave();
        return std::move(m_result);
    }

  private:
    /// For errors; empty where there is no other scene.
    [[nodiscard]] std::string sceneName() const {
        return m_stream.scenes > 1 ? m_job.scene.string() : "";
    }

    void enter(Phase phase) {
        m_sink.phase(phase);
        m_sink.progress(0);
    }

    [[nodiscard]] plan::Request request() const {
        plan::Request request;
        request.planning = m_job.planning;
        request.method = m_job.method;
        request.device = m_job.device;
        request.tile = m_job.tile;
        request.limits.threads = m_job.threads > 0 ? m_job.threads : base::availableThreads();
        request.limits.memoryBytes =
            m_job.memoryBytes > 0 ? m_job.memoryBytes : detail::availableMemory();
        return request;
    }

    [[nodiscard]] bool read(bool images) {
        enter(Phase::Read);
        m_result.report.environment = environment();
        m_request = request();
        const base::Stopwatch watch;
        m_inputs = detail::readInputs(m_job, m_images, sceneName(), m_stop);
        if (m_stop.stop_requested()) {
            return false;
        }
        m_result.scene = m_inputs.scene;
        for (const detail::TemplateInput& templ : m_inputs.templates) {
            m_result.templates.push_back(templ.image);
            m_result.masks.push_back(templ.mask);
        }
        m_result.sceneMask = m_inputs.sceneMask;
        m_result.notes = m_inputs.notes;
        detail::inScene(sceneName(),
                        [&] { detail::requireWritableOutputs(m_job, m_inputs, images); });
        // What is prepared of several groups would have to stay beside what each of them needs.
        const bool one = m_inputs.groups.size() == 1;
        const detail::GroupRun::Wants wants{m_stream.scenes > 1 && one,
                                            one && (m_sink.wantsMaps() || detail::needsMap(m_job))};
        for (const std::vector<int>& numbers : m_inputs.groups) {
            m_groups.emplace_back(m_job, m_inputs, numbers, wants, m_stop);
        }
        takeOver();
        if (m_job.memoryBytes == 0) {
            m_request.limits.memoryBytes = detail::availableMemory(); // what the inputs left
        }
        const base::Index corner = m_inputs.sceneCorner();
        const base::Index first = method::firstPlacement(m_groups.front().problem());
        m_result.mapCorner = {corner.x + first.x, corner.y + first.y, corner.z + first.z};
        reportInputs();
        reportGroups();
        m_readMs = watch.ms();
        m_sink.progress(1);
        return !m_stop.stop_requested();
    }

    /// What the scene before left for the same problems; the rest goes.
    void takeOver() {
        for (detail::Shared& shared : std::exchange(m_stream.shared, {})) {
            for (detail::GroupRun& group : m_groups) {
                if (group.problem() == shared.problem) {
                    group.takeOver(std::move(shared));
                    break;
                }
            }
        }
    }

    void warn(const std::string& sentence) {
        m_result.notes.push_back(sentence);
        m_result.warnings.push_back(sentence);
    }

    void leave() {
        for (std::size_t i = 0; i < m_groups.size() && m_stream.scenes > 1; ++i) {
            m_stream.shared.push_back(m_groups[i].leave(m_stream.scene));
        }
    }

    void reportInputs() {
        JobReport& report = m_result.report;
        if (m_stream.scenes > 1) {
            report.stream = {.scene = m_stream.scene,
                             .scenes = m_stream.scenes,
                             .source = m_inputs.scene->source,
                             .planOf = m_groups.front().planOf(),
                             .preparedOf = m_groups.front().preparedOf(),
                             .readAhead = {}};
        }
        report.inputs = m_inputs.reports;
        report.scene = base::extentsOf(m_inputs.scene->pixels);
        report.region = m_inputs.region;
        report.partialPeaks = m_job.partialPeaks;
        for (const detail::TemplateInput& templ : m_inputs.templates) {
            report.templates.push_back({templ.image->source, templ.extents(),
                                        base::pixelType(templ.image->pixels),
                                        method::supportCount(templ.view()), templ.masked});
        }
    }

    /// What the groups have so far.
    void reportGroups() {
        JobReport& report = m_result.report;
        const GroupReport& first = m_groups.front().report();
        report.plan = first.plan;
        if (m_groups.size() == 1) {
            report.map = first.map;
            return;
        }
        report.groups.clear();
        for (const detail::GroupRun& group : m_groups) {
            report.groups.push_back(group.report());
        }
    }

    /// Of the maps of all groups, which stay until the peaks are found.
    [[nodiscard]] std::int64_t mapBytes() const {
        std::int64_t maps = 0;
        for (const detail::GroupRun& group : m_groups) {
            maps += group.report().mapBytes;
        }
        return maps;
    }
    /// The request of a group beside the maps of the others.
    [[nodiscard]] plan::Request requestOf(const detail::GroupRun& group, std::int64_t maps) const {
        plan::Request request = m_request;
        request.limits.memoryBytes = std::max<std::int64_t>(
            1, request.limits.memoryBytes - (maps - group.report().mapBytes) -
                   (m_stream.reading ? m_stream.nextBytes : 0));
        return request;
    }

    /// Begins to read the next scene, if there is room for it beside all groups.
    void readAhead() {
        if (m_stream.next == nullptr || m_stream.reading) {
            return;
        }
        const std::int64_t maps = mapBytes();
        m_stream.reading = std::all_of(m_groups.begin(), m_groups.end(), [&](const auto& group) {
            const plan::CandidateReport* chosen = group.report().plan.chosen();
            return chosen->prediction && chosen->prediction->hostBytes + m_stream.nextBytes <=
                                             requestOf(group, maps).limits.memoryBytes;
        });
        m_result.report.stream->readAhead = m_stream.reading;
        if (m_stream.reading) {
            m_stream.ahead.start(*m_stream.next, m_stop);
        }
    }

    [[nodiscard]] bool plan(bool warmUp) {
        enter(Phase::Plan);
        const std::int64_t maps = mapBytes();
        bool done = true;
        for (std::size_t i = 0; i < m_groups.size() && done; ++i) {
            done = m_groups[i].plan(requestOf(m_groups[i], maps), warmUp, m_stop);
            if (done) {
                m_sink.planned(m_groups[i].report().plan);
            }
            m_sink.progress(static_cast<double>(i + 1) / static_cast<double>(m_groups.size()));
        }
        reportGroups();
        return done && !m_stop.stop_requested();
    }

    [[nodiscard]] bool execute();
    [[nodiscard]] bool executeGroup(detail::GroupRun& group,
                                    const detail::GroupRun::Progress& progress);
    [[nodiscard]] bool fallBack(detail::GroupRun& group, const Error& failure);
    void startMap();

    [[nodiscard]] bool byGpu() const {
        return std::any_of(m_groups.begin(), m_groups.end(),
                           [](const detail::GroupRun& group) { return group.byGpu(); });
    }
    void tellWhatIsOpen() {
        m_sink.verification(byGpu() ? Verification::Open : Verification::NotNeeded, {});
    }

    [[nodiscard]] bool findPeaks() {
        enter(Phase::Peaks);
        const base::Stopwatch watch;
        std::vector<match::SearchedMap> maps;
        for (detail::GroupRun& group : m_groups) {
            maps.push_back(group.searched(m_stop));
        }
        m_sink.progress(0.2);
        m_result.peaks = match::findPeaks(m_inputs.sceneView(), maps, m_result.scene->geometry,
                                          {.minScore = m_job.minScore,
                                           .maxPeaks = m_job.maxPeaks,
                                           .minDistance = m_job.minDistance,
                                           .partialPeaks = m_job.partialPeaks,
                                           .outside = m_job.outside,
                                           .minOverlap = m_job.minOverlap},
                                          m_stop);
        m_result.report.run->peaksMs = watch.ms();
        m_sink.progress(0.8);
        for (std::size_t i = 0; i < m_groups.size() && !m_stop.stop_requested(); ++i) {
            m_groups[i].audit(m_result.peaks, m_stop);
        }
        if (m_stop.stop_requested()) {
            reportGroups();
            return false;
        }
        bool again = false;
        for (detail::GroupRun& group : m_groups) {
            if (const std::optional<Error> wrong = group.distrust()) {
                again = true;
                m_sink.verification(Verification::Failed, wrong->what());
                if (!fallBack(group, *wrong)) {
                    return false;
                }
            }
        }
        if (again) {
            return execute() && findPeaks();
        }
        if (byGpu()) {
            m_sink.verification(Verification::Passed, {});
        }
        reportGroups();
        m_result.report.audit = detail::totalAudit(m_groups);
        moveToScene();
        m_result.report.peaks = m_result.peaks;
        m_sink.progress(1);
        return !m_stop.stop_requested();
    }

    /// Peaks in scene voxels, added up as findPeaks does, so that they have the bits of a run
    /// without a region.
    void moveToScene() {
        const base::Index by = m_inputs.sceneCorner();
        for (match::Peak& peak : m_result.peaks) {
            const base::Point half =
                detail::halfOf(m_inputs.templates[static_cast<std::size_t>(peak.templ)].extents());
            peak.corner = {peak.corner.x + by.x, peak.corner.y + by.y, peak.corner.z + by.z};
            const base::Point corner = detail::pointOf(peak.corner);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                peak.centre[axis] = corner[axis] + half[axis] + peak.shift[axis];
            }
            peak.world = base::toWorld(m_result.scene->geometry, peak.centre);
        }
    }

    [[nodiscard]] bool write() {
        m_stream.ahead.wait(); // libraries for files are asked by one thread at a time
        enter(Phase::Write);
        const base::Stopwatch watch;
        if (!detail::writeOutputs(m_job, m_result, m_stream.files, m_stop,
                                  [this](double share) { m_sink.progress(share); })) {
            return false;
        }
        nameOutputs();
        m_result.report.run->writeMs = watch.ms();
        m_sink.progress(1);
        return true;
    }

    [[nodiscard]] bool writePlan() {
        if (!m_job.report.empty()) {
            (void)m_stream.files.add(m_job.report, [this](const std::filesystem::path& file) {
                io::writeText(file, toJson(m_result.report));
                return true;
            });
        }
        nameOutputs();
        return true;
    }

    void nameOutputs() {
        if (m_stream.last) {
            m_stream.files.commit();
        }
    }

    const Job& m_job;
    const JobImages& m_images;
    std::stop_token m_stop;
    JobSink& m_sink;
    detail::Stream& m_stream;
    plan::Request m_request;
    detail::Inputs m_inputs;
    std::vector<detail::GroupRun> m_groups;
    JobResult m_result;
    double m_readMs = 0;
};

/// The map of a job with one group, which will be filled.
void Runner::startMap() {
    const base::Point corner = detail::pointOf(m_result.mapCorner);
    const base::Point half = detail::halfOf(m_groups.front().problem().templ);
    const base::Point firstCentre{corner[0] + half[0], corner[1] + half[1], corner[2] + half[2]};
    m_result.mapGeometry = base::movedTo(m_result.scene->geometry, firstCentre);
    m_result.map = m_groups.front().map();
    m_result.index = m_groups.front().index();
    if (m_result.map) { // else it stays where it is made
        m_sink.mapStarted(m_result.map);
    }
}

/// Plans a group again after a GPU failed.
bool Runner::fallBack(detail::GroupRun& group, const Error& failure) {
    m_result.map.reset();
    m_result.index.reset();
    if (!group.fallBack(requestOf(group, mapBytes()), failure, m_stop)) {
        return false;
    }
    const std::string scene = sceneName();
    const method::Candidate& instead = group.report().plan.chosen()->candidate;
    warn((scene.empty() ? "" : "scene " + scene + ": ") + failure.what() + "; the run was done " +
         (instead.device == "cpu" ? "on the CPU" : "by " + instead.method) + " instead");
    if (std::optional<StreamReport>& stream = m_result.report.stream) {
        stream->planOf = m_groups.front().planOf();
        stream->preparedOf = m_groups.front().preparedOf();
    }
    reportGroups();
    m_sink.planned(group.report().plan);
    return true;
}

/// Runs a group; after a GPU failed as was planned again, in a map of its own, as somebody may be
/// looking at the other one.
bool Runner::executeGroup(detail::GroupRun& group, const detail::GroupRun::Progress& progress) {
    while (true) {
        try {
            return group.execute(progress, m_stop);
        } catch (const Error& failure) {
            if (!fallBack(group, failure)) {
                return false;
            }
        }
        group.makeMap();
        if (m_groups.size() == 1) {
            startMap();
        }
        tellWhatIsOpen();
    }
}

bool Runner::execute() {
    if (const std::optional<Error> refused = refusal(m_result.report)) {
        throw Error(*refused);
    }
    enter(Phase::Run);
    const detail::PeakMeter meter;
    const bool oneMap = m_groups.size() == 1;
    double expected = 0;
    std::vector<detail::GroupRun*> waiting; // all of them, unless only some have to be done again
    for (detail::GroupRun& group : m_groups) {
        if (!group.hasRun()) {
            waiting.push_back(&group);
            group.makeMap();
            expected += group.expectedMs();
        }
    }
    if (oneMap) {
        startMap();
    }
    tellWhatIsOpen();
    readAhead();
    double done = 0;
    for (detail::GroupRun* const group : waiting) {
        const double share = expected > 0 ? group->expectedMs() / expected : 1;
        const detail::GroupRun::Progress progress{
            .regionFinished =
                [&](const base::Box& box) {
                    if (oneMap) {
                        m_sink.regionFinished(box);
                    }
                },
            .share = [&](double part) { m_sink.progress(std::min(1.0, done + part * share)); }};
        if (!executeGroup(*group, progress)) {
            return false;
        }
        done += share;
    }
    RunReport run = detail::totalRun(m_groups);
    run.readMs = m_readMs;
    run.peakHostBytes = meter.rise();
    for (const std::string& failure : run.failures) {
        warn(failure + "; other GPUs did its share");
    }
    m_result.report.run = std::move(run);
    reportGroups();
    return true;
}

/// Runs or plans one scene after the other.
JobResult doScenes(const Job& job, const JobImages& images, const std::stop_token& stop,
                   JobSink& sink, bool planOnly) {
    const std::vector<Job> jobs = scenesOf(job);
    detail::requireOwnNames(jobs, !planOnly);
    detail::Stream stream{.scenes = static_cast<int>(jobs.size())};
    if (stream.scenes > 1) {
        sink.phase(Phase::Read);
    }
    const std::vector<detail::OrderedScene> order = detail::sceneOrder(jobs, images, stop);
    JobResult all;
    all.cancelled = order.empty();
    all.report.scenes.resize(jobs.size());
    JobImages own = images;
    for (std::size_t turn = 0; turn < order.size() && !all.cancelled; ++turn) {
        const std::size_t number = order[turn].number;
        stream.scene = static_cast<int>(number);
        stream.last = turn + 1 == order.size();
        stream.reading = false;
        stream.next = stream.last ? nullptr : &jobs[order[turn + 1].number];
        stream.nextBytes = stream.last ? 0 : order[turn + 1].bytes;
        const SceneTurn at{.scene = jobs[number].scene,
                           .number = stream.scene,
                           .turn = static_cast<int>(turn),
                           .count = stream.scenes};
        if (stream.scenes > 1) {
            sink.sceneStarted(at);
        }
        Runner runner(jobs[number], own, stop, sink, stream);
        JobResult one = planOnly ? runner.planOnly() : runner.run();
        if (stream.scenes == 1) {
            return one;
        }
        sink.sceneFinished(at, one);
        all.cancelled = one.cancelled;
        all.report.scenes[number] = std::move(one.report);
        const auto keep = [](std::vector<std::string>& from, std::vector<std::string>& to) {
            for (std::string& sentence : from) {
                if (std::find(to.begin(), to.end(), sentence) == to.end()) {
                    to.push_back(std::move(sentence));
                }
            }
        };
        keep(one.notes, all.notes);
        keep(one.warnings, all.warnings);
        // Templates and masks are read once; a crop is one of the first scene.
        own = {stream.ahead.take(), std::move(one.templates), std::move(one.masks),
               std::move(one.sceneMask)};
    }
    if (all.cancelled) {
        all.report = {};
        all.report.cancelled = planOnly;
    }
    return all;
}

/// Calls `body` and turns failed allocations into the error they are.
template <class Body> auto withMemoryErrors(const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::Memory, "the machine has too little free memory for this job (" +
                                           detail::bytesText(detail::availableMemory()) +
                                           " left); close other programs or use a smaller scene");
    }
}

} // namespace

std::string_view name(Phase phase) {
    constexpr std::array<std::string_view, 5> kNames{"reading", "planning", "matching",
                                                     "finding peaks", "writing"};
    return kNames[static_cast<std::size_t>(phase)];
}

JobResult runJob(const Job& job, const JobImages& images, std::stop_token stop, JobSink* sink) {
    detail::requireSensible(job);
    JobSink silent;
    return withMemoryErrors(
        [&] { return doScenes(job, images, stop, sink ? *sink : silent, false); });
}

JobReport planJob(const Job& job, const JobImages& images, std::stop_token stop, JobSink* sink) {
    detail::requireSensible(job);
    JobSink silent;
    return withMemoryErrors(
        [&] { return doScenes(job, images, stop, sink ? *sink : silent, true).report; });
}

} // namespace flcc::job
