#include <mutex>
#include <utility>

#include "engine/base/stopwatch.h"
#include "engine/job/any_job.h"
#include "engine/job/input/limits.h"
#include "engine/job/input/poses.h"
#include "engine/job/match/scene_state.h"
#include "engine/job/output/outputs.h"
#include "engine/job/report/machine.h"
#include "engine/job/steps/truth.h"

namespace flcc::job::detail {

std::int64_t SceneState::mapBytes() const {
    std::int64_t maps = 0;
    for (const GroupRun& group : groups()) {
        maps += group.report().mapBytes;
    }
    return maps;
}

plan::Request SceneState::requestOf(const GroupRun& group) const {
    plan::Request own = request;
    own.limits.memoryBytes =
        std::max<std::int64_t>(1, own.limits.memoryBytes - (mapBytes() - group.report().mapBytes) -
                                      (stream.ahead.count() > 0 ? stream.nextBytes() : 0));
    for (const GroupRun& before : groups()) {
        if (&before == &group) {
            break;
        }
        own.limits.onDevice.scene = before.sceneOn(own.limits.onDevice.scene);
    }
    return own;
}

namespace {

plan::Request requestFor(const Job& job) {
    plan::Request request;
    request.planning = job.planning;
    request.timeAgain = job.timeAgain;
    request.method = job.method;
    request.device = job.poses.prunes() ? std::string(method::kProcessor) : job.device;
    request.tile = job.tile;
    request.limits.threads = threadsOf(job);
    request.limits.memoryBytes = memoryOf(job);
    request.limits.transforms = job.transforms;
    return request;
}

void takeInputs(SceneState& s, bool images) {
    s.result.scene = s.inputs().scene;
    s.result.geometry = s.inputs().geometry;
    for (const TemplateInput& templ : s.inputs().templates) {
        s.result.templates.push_back(templ.image);
        s.result.masks.push_back(templ.mask);
    }
    s.result.sceneMask = s.inputs().sceneMask;
    s.result.notes = s.inputs().notes;
    for (const std::string& sentence : s.inputs().warnings) {
        s.warn(sentence);
    }
    inScene(s.name(), [&] { requireWritableOutputs(s.job, s.inputs(), images); });
    if (images) {
        requireAllowed(s.job, s.inputs());
    }
}

/// Reads what the scene is computed from, or takes it from a flight that was started before.
bool readWork(SceneState& s, bool images) {
    s.flight = s.stream.ahead.take();
    s.work = s.flight ? s.flight->work() : nullptr;
    if (s.work != nullptr) {
        s.lands = true;
        takeInputs(s, images);
        return !s.stopped();
    }
    JobImages own = s.images;
    if (s.flight) {
        own.scene = s.flight->image();
        s.flight.reset();
    }
    const bool inMemory = s.stream.readsFrames && own.scene != nullptr; // templates too
    if (inMemory && s.stream.has(1)) {
        begin(s, 1, false); // statistics and plan of this frame take time as well
    }
    const base::Stopwatch watch;
    s.ownWork = std::make_unique<SceneWork>();
    s.work = s.ownWork.get();
    {
        std::unique_lock files(s.stream.ahead.reading(), std::defer_lock);
        if (!inMemory) {
            files.lock();
        }
        if (s.stream.frames != nullptr && !own.scene) {
            own.scene =
                inScene(s.name(), [&] { return s.stream.frames->load(s.stream.scene(), s.stop); });
        }
        if (s.stopped()) {
            return false;
        }
        s.work->inputs = readInputs(s.job, own, s.name(), s.stop);
        if (!s.job.truth.empty() && !s.stopped()) {
            s.truth = readTruth(s.job, s.work->inputs);
            s.work->inputs.reports.push_back(truthReport(s.job));
        }
    }
    if (s.stopped()) {
        return false;
    }
    takeInputs(s, images);
    makeGroups(*s.work, s.job, s.workKind(), s.stop);
    s.work->readMs = watch.ms();
    return true;
}

/// Takes what the previous scene left for the same problems; the rest is freed. A flight that runs
/// already has it.
void takeOver(SceneState& s) {
    for (Shared& shared : std::exchange(s.stream.shared, {})) {
        if (s.flight) {
            s.stream.spare.push_back(shared.session.takeWorkspace());
            continue;
        }
        for (GroupRun& group : s.groups()) {
            if (group.problem() == shared.problem) {
                group.takeOver(std::move(shared));
                break;
            }
        }
    }
}

} // namespace

bool readScene(SceneState& s, bool images) {
    s.sink.enter(Phase::Read);
    s.result.report.environment = environment();
    s.result.report.commandLine = toCommandLine(s.job);
    s.result.report.jobFile = toJobFile(s.job);
    s.request = requestFor(s.job);
    if (!readWork(s, images)) {
        return false;
    }
    takeOver(s);
    if (s.job.memoryBytes == 0) {
        s.request.limits.memoryBytes = availableMemory(); // memory left after the inputs were read
    }
    const base::Index corner = s.inputs().sceneCorner();
    const base::Index first = method::firstPlacement(s.groups().front().problem());
    const base::Index shift = s.inputs().shiftOf(s.inputs().groups.front());
    s.result.mapCorner = {corner.x + first.x + shift.x, corner.y + first.y + shift.y,
                          corner.z + first.z + shift.z};
    reportInputs(s);
    reportGroups(s);
    s.sink.progress(1);
    return !s.stopped();
}

} // namespace flcc::job::detail
