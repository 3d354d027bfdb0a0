#include "engine/job/match/scene_runner.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "engine/base/stopwatch.h"
#include "engine/job/arguments.h"
#include "engine/job/input/inputs.h"
#include "engine/job/input/limits.h"
#include "engine/job/input/poses.h"
#include "engine/job/match/handedness.h"
#include "engine/job/match/null_search.h"
#include "engine/job/match/pose_run.h"
#include "engine/job/match/threshold.h"
#include "engine/job/match/truth.h"
#include "engine/job/output/export_files.h"
#include "engine/job/output/outputs.h"
#include "engine/job/report/machine.h"

namespace flcc::job::detail {

using base::Error;

JobResult SceneRunner::run() {
    m_result.cancelled =
        !(read(true) && inScene(sceneName(), [this] { return search() && write(); }));
    return leave();
}

bool SceneRunner::search() {
    if (m_job.poses.prunes() && !m_stream.prunedGaveUp) {
        // A plan that measures takes as long as many a pruned search.
        const auto planning = std::exchange(m_request.planning, plan::Planning::Estimate);
        const bool isPlanned = plan(false);
        m_request.planning = planning;
        if (!isPlanned || !searchPruned()) {
            return false;
        }
        if (!m_stream.prunedGaveUp) {
            return true;
        }
    }
    return searchNull() && m_hand.search(m_job, inputs(), m_result, m_stop, m_sink) && plan(true) &&
           execute() && findPeaks();
}

JobResult SceneRunner::planOnly() {
    m_result.cancelled =
        !(read(false) && inScene(sceneName(), [this] { return plan(false) && writePlan(); }));
    m_result.report.cancelled = m_result.cancelled;
    return leave();
}

plan::Request SceneRunner::request() const {
    plan::Request request;
    request.planning = m_job.planning;
    request.timeAgain = m_job.timeAgain;
    request.method = m_job.method;
    request.device = m_job.poses.prunes() ? "cpu" : m_job.device;
    request.tile = m_job.tile;
    request.limits.threads = threadsOf(m_job);
    request.limits.memoryBytes = memoryOf(m_job);
    request.limits.transforms = m_job.transforms;
    return request;
}

bool SceneRunner::read(bool images) {
    enter(Phase::Read);
    m_result.report.environment = environment();
    m_result.report.commandLine = toCommandLine(m_job);
    m_result.report.jobFile = toJobFile(m_job);
    m_request = request();
    if (!readWork(images)) {
        return false;
    }
    takeOver();
    if (m_job.memoryBytes == 0) {
        m_request.limits.memoryBytes = availableMemory(); // memory left after the inputs were read
    }
    const base::Index corner = inputs().sceneCorner();
    const base::Index first = method::firstPlacement(groups().front().problem());
    const base::Index shift = inputs().shiftOf(inputs().groups.front());
    m_result.mapCorner = {corner.x + first.x + shift.x, corner.y + first.y + shift.y,
                          corner.z + first.z + shift.z};
    reportInputs();
    reportGroups();
    m_sink.progress(1);
    return !m_stop.stop_requested();
}

bool SceneRunner::readWork(bool images) {
    m_flight = m_stream.ahead.take();
    m_work = m_flight ? m_flight->work() : nullptr;
    if (m_work != nullptr) {
        m_lands = true;
        takeInputs(images);
        return !m_stop.stop_requested();
    }
    JobImages own = m_images;
    if (m_flight) {
        own.scene = m_flight->image();
        m_flight.reset();
    }
    const bool inMemory = m_stream.readsFrames && own.scene != nullptr; // templates too
    if (inMemory && m_stream.has(1)) {
        begin(1, false); // statistics and plan of this frame take time as well
    }
    const base::Stopwatch watch;
    m_ownWork = std::make_unique<SceneWork>();
    m_work = m_ownWork.get();
    {
        std::unique_lock files(m_stream.ahead.reading(), std::defer_lock);
        if (!inMemory) {
            files.lock();
        }
        if (m_stream.frames != nullptr && !own.scene) {
            own.scene = inScene(sceneName(),
                                [&] { return m_stream.frames->load(m_stream.scene(), m_stop); });
        }
        if (m_stop.stop_requested()) {
            return false;
        }
        m_work->inputs = readInputs(m_job, own, sceneName(), m_stop);
        if (!m_job.truth.empty() && !m_stop.stop_requested()) {
            m_truth = readTruth(m_job, m_work->inputs);
            m_work->inputs.reports.push_back(truthReport(m_job));
        }
    }
    if (m_stop.stop_requested()) {
        return false;
    }
    takeInputs(images);
    makeGroups(*m_work, m_job, workKind(), m_stop);
    m_work->readMs = watch.ms();
    return true;
}

void SceneRunner::takeInputs(bool images) {
    m_result.scene = inputs().scene;
    m_result.geometry = inputs().geometry;
    for (const TemplateInput& templ : inputs().templates) {
        m_result.templates.push_back(templ.image);
        m_result.masks.push_back(templ.mask);
    }
    m_result.sceneMask = inputs().sceneMask;
    m_result.notes = inputs().notes;
    for (const std::string& sentence : inputs().warnings) {
        warn(sentence);
    }
    inScene(sceneName(), [&] { requireWritableOutputs(m_job, inputs(), images); });
    if (images) {
        requireAllowed(m_job, inputs());
    }
}

void SceneRunner::takeOver() {
    for (Shared& shared : std::exchange(m_stream.shared, {})) {
        if (m_flight) {
            m_stream.spare.push_back(shared.session.takeWorkspace());
            continue;
        }
        for (GroupRun& group : groups()) {
            if (group.problem() == shared.problem) {
                group.takeOver(std::move(shared));
                break;
            }
        }
    }
}

JobResult SceneRunner::leave() {
    for (std::size_t i = 0; !m_result.cancelled && m_stream.several() && i < groups().size(); ++i) {
        m_stream.shared.push_back(groups()[i].leave(m_stream.scene()));
    }
    return std::move(m_result);
}

std::int64_t SceneRunner::mapBytes() const {
    std::int64_t maps = 0;
    for (const GroupRun& group : groups()) {
        maps += group.report().mapBytes;
    }
    return maps;
}

plan::Request SceneRunner::requestOf(const GroupRun& group, std::int64_t maps) const {
    plan::Request request = m_request;
    request.limits.memoryBytes =
        std::max<std::int64_t>(1, request.limits.memoryBytes - (maps - group.report().mapBytes) -
                                      (m_stream.ahead.count() > 0 ? m_stream.nextBytes() : 0));
    for (const GroupRun& before : groups()) {
        if (&before == &group) {
            break;
        }
        request.limits.onDevice.scene = before.sceneOn(request.limits.onDevice.scene);
    }
    return request;
}

void SceneRunner::lookAhead() {
    if (m_stream.inFlight > 1 && m_stream.hasAlike(1)) {
        if (m_flight) { // else once its templates are prepared
            runAhead();
        }
    } else if (m_stream.has(1)) {
        readAhead();
    }
    if (m_stream.outputs != nullptr) {
        m_stream.outputs->setBeside(hasRoomToWrite());
    }
}

bool SceneRunner::hasRoomToWrite() const {
    const std::int64_t maps = mapBytes();
    return std::all_of(groups().begin(), groups().end(), [&](const GroupRun& group) {
        const std::int64_t run = group.report().plan.chosen()->prediction->hostBytes;
        const std::int64_t others = (m_stream.inFlight - 1) * (run + m_stream.nextBytes());
        return run + others + maps <= requestOf(group, maps).limits.memoryBytes;
    });
}

void SceneRunner::readAhead() {
    const std::int64_t maps = mapBytes();
    const auto hasRoom = [&](const GroupRun& group) {
        return group.report().plan.chosen()->prediction->hostBytes + m_stream.nextBytes() <=
               requestOf(group, maps).limits.memoryBytes;
    };
    if (m_stream.ahead.count() == 0) {
        const bool room = std::all_of(groups().begin(), groups().end(), hasRoom);
        m_stream.readsFrames = room && m_stream.frames != nullptr;
        if (room) {
            begin(1, false);
        }
    }
    tellOfOthers();
}

void SceneRunner::runAhead() {
    const auto most = static_cast<std::size_t>(m_stream.inFlight);
    auto later = static_cast<std::size_t>(m_stream.ahead.count()) + 1;
    for (; later < most && m_stream.hasAlike(later); ++later) {
        begin(later, true);
    }
    if (most > 1) {
        tellOfOthers();
    }
}

void SceneRunner::begin(std::size_t later, bool run) {
    FlightOrder order{
        .job = m_stream.job(later),
        .images = {m_stream.image(later), m_result.templates, m_result.masks, m_result.sceneMask},
        .kind = workKind(),
        .scene = m_stream.nameOf(later),
        .frames = m_stream.frames,
        .frame = m_stream.scene() + static_cast<int>(later),
        .shared = {}};
    if (run) {
        order.shared = groups().front().share(m_stream.scene());
        if (!m_stream.spare.empty()) {
            order.shared->session.giveWorkspace(std::move(m_stream.spare.back()));
            m_stream.spare.pop_back();
        }
    }
    m_stream.ahead.start(std::move(order), m_stop);
}

void SceneRunner::tellOfOthers() {
    StreamReport& stream = *m_result.report.stream;
    stream.readAhead = m_stream.ahead.count() > 0;
    const bool run = m_stream.inFlight > 1 && m_stream.hasAlike(1);
    stream.inFlight = run ? m_stream.ahead.count() + 1 : 1;
}

void SceneRunner::ground() {
    m_stream.ground();
    if (m_stream.has(1) && m_result.report.stream) {
        tellOfOthers();
    }
}

void SceneRunner::decideFlights() {
    m_stream.spare.clear();
    m_stream.inFlight = 1;
    if (groups().size() == 1 && m_stream.hasAlike(1) && m_job.repeat == 1 &&
        groups().front().report().plan.chosen() != nullptr) {
        m_stream.inFlight = scenesInFlight(
            *groups().front().report().plan.chosen()->prediction, m_stream.nextBytes(),
            requestOf(groups().front(), mapBytes()).limits.memoryBytes);
    }
}

bool SceneRunner::plan(bool warmUp) {
    enter(Phase::Plan);
    const std::int64_t maps = mapBytes();
    bool done = true;
    for (std::size_t i = 0; i < groups().size() && done; ++i) {
        done = groups()[i].plan(requestOf(groups()[i], maps), warmUp, m_stop);
        if (done) {
            m_sink.planned(groups()[i].report().plan);
        }
        m_sink.progress(static_cast<double>(i + 1) / static_cast<double>(groups().size()));
    }
    reportGroups();
    if (!groups().front().planOf()) {
        decideFlights();
    }
    return done && !m_stop.stop_requested();
}

/// Before the run, whose map would need its memory.
bool SceneRunner::searchNull() { return m_null.search(m_job, m_result, m_stop, m_sink); }

bool SceneRunner::findPeaks() {
    enter(Phase::Peaks);
    const base::Stopwatch watch;
    std::vector<match::SearchedMap> maps;
    for (GroupRun& group : groups()) {
        maps.push_back(group.searched(m_stop));
    }
    // A stop may have left the statistics half counted: again, where that takes less than a second.
    constexpr std::int64_t kMostAgain = std::int64_t{1} << 28;
    const auto map = groups().size() == 1 ? groups().front().map() : nullptr;
    bool counted = !m_stop.stop_requested();
    if (!counted && map && map->value.count() <= kMostAgain) {
        (void)groups().front().searched({});
        counted = true;
    }
    m_result.mapFinished = counted && map && m_job.null == match::NullTemplate::None;
    takeSearch(groups().front(), m_result);
    m_sink.progress(0.2);
    FoundPeaks found = peaksOf(
        m_job, inputs().sceneView(), maps, m_result.geometry,
        m_null.law(m_job, inputs(), m_result, maps,
                   static_cast<double>(m_stream.frames ? m_stream.frames->count() : 1), m_stop),
        m_stop, [this](double share) { m_sink.progress(0.2 + 0.6 * share); });
    if (m_stop.stop_requested()) { // what was found is unspecified
        reportGroups();
        return false;
    }
    m_result.peaks = std::move(found.peaks);
    m_result.report.peaksIncomplete = std::move(found.incomplete);
    m_result.report.threshold = std::move(found.threshold);
    if (m_result.report.threshold) {
        for (const std::string& sentence : m_result.report.threshold->warnings) {
            addWarning(m_result, sentence);
        }
    }
    markPeaksOfTemplates(inputs(), m_result);
    m_result.report.handedness = m_hand.judge(m_job, inputs(), m_result, maps, m_stop);
    m_result.report.run->peaksMs = watch.ms();
    m_sink.progress(0.8);
    for (std::size_t i = 0; i < groups().size() && !m_stop.stop_requested(); ++i) {
        groups()[i].audit(m_result.peaks, m_stop);
    }
    if (m_stop.stop_requested()) {
        reportGroups();
        return false;
    }
    bool again = false;
    for (GroupRun& group : groups()) {
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
    m_result.report.audit = totalAudit(groups());
    moveToScene(m_result.peaks, inputs(), m_result.geometry);
    m_result.report.peaks = m_result.peaks;
    if (m_truth) {
        m_result.report.truth = comparedWithTruth(m_job, m_result, *m_truth);
    }
    m_sink.progress(1);
    return !m_stop.stop_requested();
}

bool SceneRunner::write() {
    FrameOutputs* const frames = m_stream.outputs;
    if (frames == nullptr || !m_job.templateOut.empty()) {
        m_stream.ahead.awaitFiles(); // their libraries are asked by one thread at a time
    }
    enter(Phase::Write);
    const base::Stopwatch watch;
    const Job job = frames != nullptr ? FrameOutputs::withoutStacks(m_job) : m_job;
    if ((frames != nullptr && !frames->put(m_result, m_stream.scene(), m_stop)) ||
        !writeOutputs(job, m_result, m_stream.files, m_stop,
                      [this](double share) { m_sink.progress(share); })) {
        return false;
    }
    nameOutputs();
    m_result.report.run->writeMs = watch.ms();
    m_sink.progress(1);
    return true;
}

bool SceneRunner::writePlan() {
    if (m_stream.frames == nullptr) {
        m_stream.files.addText(m_job.report, [this] { return reportText(m_job, m_result.report); });
    }
    nameOutputs();
    return true;
}

void SceneRunner::nameOutputs() {
    if (!m_stream.has(1) && m_stream.frames == nullptr) { // whose report is written at the end
        m_stream.files.commit();
    }
}
/// The map of a job with one group, which will be filled.
void SceneRunner::startMap() {
    const base::Point corner = pointOf(m_result.mapCorner);
    const base::Point half =
        halfOf(inputs().templates.front().image->extents()); // all have one extent
    const base::Point firstCentre{corner[0] + half[0], corner[1] + half[1], corner[2] + half[2]};
    m_result.mapGeometry = base::movedTo(m_result.geometry, firstCentre);
    m_result.map = groups().front().map();
    m_result.index = groups().front().index();
    if (m_result.map) { // else it stays where it is made
        m_sink.mapStarted(m_result.map);
    }
}

/// Plans a group anew after a GPU failed.
bool SceneRunner::fallBack(GroupRun& group, const Error& failure) {
    ground();                     // ends flights that use the same plan
    if (m_job.memoryBytes == 0) { // which leaves its memory
        m_request.limits.memoryBytes = std::max(m_request.limits.memoryBytes, availableMemory());
    }
    m_result.map.reset();
    m_result.index.reset();
    if (!group.fallBack(requestOf(group, mapBytes()), failure, m_stop)) {
        return false;
    }
    const std::string scene = sceneName();
    const method::Candidate& instead = group.report().plan.chosen()->candidate;
    warn((scene.empty() ? "" : "scene " + scene + ": ") + failure.what() + "; the run was done " +
         (instead.onProcessor() ? "on the CPU" : "by " + instead.method) + " instead");
    if (std::optional<StreamReport>& stream = m_result.report.stream) {
        stream->planOf = groups().front().planOf();
        stream->preparedOf = groups().front().preparedOf();
    }
    reportGroups();
    m_sink.planned(group.report().plan);
    return true;
}

/// Runs a group, or waits for a flight that was started before. After a failure while other scenes
/// ran, runs it once more without them; after a failure of a GPU alone, runs the new plan. Each run
/// gets its own map, because the previous one may be displayed.
bool SceneRunner::executeGroup(GroupRun& group, const GroupRun::Progress& progress) {
    while (true) {
        const bool lands = std::exchange(m_lands, false);
        const auto wasAlone = [&] {
            return !lands && (m_stream.inFlight == 1 || m_stream.ahead.count() == 0);
        };
        try {
            if (!lands) {
                return group.execute(progress, m_stop);
            }
            if (!m_flight->finish(progress)) {
                return false;
            }
            group.settle();
            return true;
        } catch (const Error& failure) {
            if (wasAlone()) {
                m_work->hold.scene.reset(); // planning asks how much memory is free
                if (!fallBack(group, failure)) {
                    return false;
                }
            }
        } catch (const std::bad_alloc&) {
            if (wasAlone()) {
                throw;
            }
        }
        ground();
        m_work->hold.scene.reset(); // of a device that failed
        group.clear();
        if (!group.makeMap(m_stop)) {
            return false;
        }
        if (groups().size() == 1) {
            startMap();
        }
        tellWhatIsOpen();
    }
}

bool SceneRunner::execute() {
    if (const std::optional<Error> refused = refusal(m_result.report)) {
        throw Error(*refused);
    }
    enter(Phase::Run);
    const PeakMeter meter;
    const bool oneMap = groups().size() == 1;
    double expected = 0;
    std::int64_t all = 0;           // members of all groups that run
    std::vector<GroupRun*> waiting; // all groups, unless only some must be run once more
    for (GroupRun& group : groups()) {
        if (!group.hasRun()) {
            waiting.push_back(&group);
            if (!m_lands && !group.makeMap(m_stop)) { // else it is being filled
                return false;
            }
            expected += group.expectedMs();
            all += group.members();
        }
    }
    if (oneMap) {
        startMap();
    }
    tellWhatIsOpen();
    lookAhead();
    double done = 0;
    std::int64_t members = 0; // searched before
    for (GroupRun* const group : waiting) {
        const double share = expected > 0 ? group->expectedMs() / expected : 1;
        const GroupRun::Progress progress{
            .regionFinished =
                [&](const base::Box& box) {
                    if (oneMap) {
                        m_sink.regionFinished(box);
                    }
                },
            .share = [&](double part) { m_sink.progress(std::min(1.0, done + part * share)); },
            .prepared = [this] { runAhead(); },
            .searched = [&](std::int64_t now,
                            std::int64_t) { m_sink.searched(members + now, all); },
            .best =
                [&](std::shared_ptr<const method::MatchMap> best) {
                    if (oneMap && m_sink.wantsMaps()) {
                        m_sink.bestSoFar(std::move(best));
                    }
                }};
        if (!executeGroup(*group, progress)) {
            if (oneMap && group->settlePart()) {
                reportRun(meter);
                m_result.report.peaksIncomplete = unfinishedText(m_result.report);
            }
            return false;
        }
        done += share;
        members += group->members();
    }
    m_work->hold = {};
    reportRun(meter);
    return true;
}

void SceneRunner::reportRun(const PeakMeter& meter) {
    RunReport run = totalRun(groups());
    run.readMs = m_work->readMs;
    run.handsMs = m_hand.ms();
    run.peakHostBytes = meter.rise();
    for (const std::string& failure : run.failures) {
        warn(failure);
    }
    m_result.report.run = std::move(run);
    reportGroups();
}

} // namespace flcc::job::detail
