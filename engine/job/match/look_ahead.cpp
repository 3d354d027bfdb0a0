// The scenes after the current one, which are read or run beside it.

#include <utility>

#include "engine/job/match/scene_state.h"

namespace flcc::job::detail {

namespace {

void tellOfOthers(SceneState& s) {
    StreamReport& stream = *s.result.report.stream;
    stream.readAhead = s.stream.ahead.count() > 0;
    const bool run = s.stream.inFlight > 1 && s.stream.hasAlike(1);
    stream.inFlight = run ? s.stream.ahead.count() + 1 : 1;
}

/// Whether the map of the frame before may stay in memory beside this run.
bool hasRoomToWrite(const SceneState& s) {
    const std::int64_t maps = s.mapBytes();
    return std::all_of(s.groups().begin(), s.groups().end(), [&](const GroupRun& group) {
        const std::int64_t run = group.report().plan.chosen()->prediction->hostBytes;
        const std::int64_t others = (s.stream.inFlight - 1) * (run + s.stream.nextBytes());
        return run + others + maps <= s.requestOf(group).limits.memoryBytes;
    });
}

void readAhead(SceneState& s) {
    const auto hasRoom = [&](const GroupRun& group) {
        return group.report().plan.chosen()->prediction->hostBytes + s.stream.nextBytes() <=
               s.requestOf(group).limits.memoryBytes;
    };
    if (s.stream.ahead.count() == 0) {
        const bool room = std::all_of(s.groups().begin(), s.groups().end(), hasRoom);
        s.stream.readsFrames = room && s.stream.frames != nullptr;
        if (room) {
            begin(s, 1, false);
        }
    }
    tellOfOthers(s);
}

} // namespace

void lookAhead(SceneState& s) {
    if (s.stream.inFlight > 1 && s.stream.hasAlike(1)) {
        if (s.flight) { // else once its templates are prepared
            runAhead(s);
        }
    } else if (s.stream.has(1)) {
        readAhead(s);
    }
    if (s.stream.outputs != nullptr) {
        s.stream.outputs->setBeside(hasRoomToWrite(s));
    }
}

void runAhead(SceneState& s) {
    const auto most = static_cast<std::size_t>(s.stream.inFlight);
    auto later = static_cast<std::size_t>(s.stream.ahead.count()) + 1;
    for (; later < most && s.stream.hasAlike(later); ++later) {
        begin(s, later, true);
    }
    if (most > 1) {
        tellOfOthers(s);
    }
}

void begin(SceneState& s, std::size_t later, bool run) {
    FlightOrder order{
        .job = s.stream.job(later),
        .images = {s.stream.image(later), s.result.templates, s.result.masks, s.result.sceneMask},
        .kind = s.workKind(),
        .scene = s.stream.nameOf(later),
        .frames = s.stream.frames,
        .frame = s.stream.scene() + static_cast<int>(later),
        .shared = {}};
    if (run) {
        order.shared = s.groups().front().share(s.stream.scene());
        if (!s.stream.spare.empty()) {
            order.shared->session.giveWorkspace(std::move(s.stream.spare.back()));
            s.stream.spare.pop_back();
        }
    }
    s.stream.ahead.start(std::move(order), s.stop);
}

void ground(SceneState& s) {
    s.stream.ground();
    if (s.stream.has(1) && s.result.report.stream) {
        tellOfOthers(s);
    }
}

void decideFlights(SceneState& s) {
    s.stream.spare.clear();
    s.stream.inFlight = 1;
    if (s.groups().size() == 1 && s.stream.hasAlike(1) && s.job.repeat == 1 &&
        s.groups().front().report().plan.chosen() != nullptr) {
        s.stream.inFlight = scenesInFlight(*s.groups().front().report().plan.chosen()->prediction,
                                           s.stream.nextBytes(),
                                           s.requestOf(s.groups().front()).limits.memoryBytes);
    }
}

} // namespace flcc::job::detail
