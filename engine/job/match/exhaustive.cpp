// The search that computes the best score of every placement.

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "engine/base/stopwatch.h"
#include "engine/job/match/scene_state.h"
#include "engine/job/options/options.h"
#include "engine/job/report/machine.h"
#include "engine/job/steps/threshold.h"

namespace flcc::job::detail {

using base::Error;

bool planScene(SceneState& s, bool warmUp) {
    s.sink.enter(Phase::Plan);
    bool done = true;
    for (std::size_t i = 0; i < s.groups().size() && done; ++i) {
        done = s.groups()[i].plan(s.requestOf(s.groups()[i]), warmUp, s.stop);
        if (done) {
            s.sink.planned(s.groups()[i].report().plan);
        }
        s.sink.progress(static_cast<double>(i + 1) / static_cast<double>(s.groups().size()));
    }
    reportGroups(s);
    if (!s.groups().front().planOf()) {
        decideFlights(s);
    }
    return done && !s.stopped();
}

namespace {

void tellWhatIsOpen(SceneState& s) {
    s.sink.verification(s.byGpu() ? Verification::Open : Verification::NotNeeded, {});
}

/// The map of a job with one group, which will be filled.
void startMap(SceneState& s) {
    const base::Point corner = pointOf(s.result.mapCorner);
    const base::Point half =
        halfOf(s.inputs().templates.front().image->extents()); // all have one extent
    const base::Point firstCentre{corner[0] + half[0], corner[1] + half[1], corner[2] + half[2]};
    s.result.mapGeometry = base::movedTo(s.result.geometry, firstCentre);
    s.result.map = s.groups().front().map();
    s.result.index = s.groups().front().index();
    if (s.result.map) { // else it stays where it is made
        s.sink.mapStarted(s.result.map);
    }
}

/// Plans a group anew after a GPU failed.
bool fallBack(SceneState& s, GroupRun& group, const Error& failure) {
    ground(s);                    // ends flights that use the same plan
    if (s.job.memoryBytes == 0) { // which leaves its memory
        s.request.limits.memoryBytes = std::max(s.request.limits.memoryBytes, availableMemory());
    }
    s.result.map.reset();
    s.result.index.reset();
    if (!group.fallBack(s.requestOf(group), failure, s.stop)) {
        return false;
    }
    const std::string scene = s.name();
    const method::Candidate& instead = group.report().plan.chosen()->candidate;
    s.warn((scene.empty() ? "" : "scene " + scene + ": ") + failure.what() + "; the run was done " +
           (instead.onProcessor() ? "on the CPU" : "by " + instead.method) + " instead");
    if (std::optional<StreamReport>& stream = s.result.report.stream) {
        stream->planOf = s.groups().front().planOf();
        stream->preparedOf = s.groups().front().preparedOf();
    }
    reportGroups(s);
    s.sink.planned(group.report().plan);
    return true;
}

/// Runs a group, or waits for a flight that was started before. After a failure while other scenes
/// ran, runs it once more without them; after a failure of a GPU alone, runs the new plan. Each run
/// gets its own map, because the previous one may be displayed.
bool executeGroup(SceneState& s, GroupRun& group, const GroupRun::Progress& progress) {
    while (true) {
        const bool lands = std::exchange(s.lands, false);
        const auto wasAlone = [&] {
            return !lands && (s.stream.inFlight == 1 || s.stream.ahead.count() == 0);
        };
        try {
            if (!lands) {
                return group.execute(progress, s.stop);
            }
            if (!s.flight->finish(progress)) {
                return false;
            }
            group.settle();
            return true;
        } catch (const Error& failure) {
            if (wasAlone()) {
                s.work->hold.scene.reset(); // planning asks how much memory is free
                if (!fallBack(s, group, failure)) {
                    return false;
                }
            }
        } catch (const std::bad_alloc&) {
            if (wasAlone()) {
                throw;
            }
        }
        ground(s);
        s.work->hold.scene.reset(); // of a device that failed
        group.clear();
        if (!group.makeMap(s.stop)) {
            return false;
        }
        if (s.groups().size() == 1) {
            startMap(s);
        }
        tellWhatIsOpen(s);
    }
}

/// Reports the run of all groups.
void reportRun(SceneState& s, const PeakMeter& meter) {
    RunReport run = totalRun(s.groups());
    run.readMs = s.work->readMs;
    run.peakHostBytes = meter.rise();
    for (const std::string& failure : run.failures) {
        s.warn(failure);
    }
    s.result.report.run = std::move(run);
    reportGroups(s);
}

constexpr std::string_view kOfNull = "the null template";
constexpr std::string_view kOfMirrored = "the mirrored templates";

OtherSearch& otherSearch(JobReport& report, std::string_view of) {
    const auto found = std::ranges::find(report.others, of, &OtherSearch::of);
    return found != report.others.end() ? *found : report.others.emplace_back(std::string(of));
}

/// Before the run, whose map would need its memory.
Next searchNull(SceneState& s) {
    const base::Stopwatch watch;
    const bool done = s.null.search(s.job, s.result, searchScene, s.stop, s.sink);
    otherSearch(s.result.report, kOfNull).ms = watch.ms();
    return goIf(done);
}

Next searchHands(SceneState& s) {
    const base::Stopwatch watch;
    const bool done = s.hands.search(s.job, s.inputs(), s.result, searchScene, s.stop, s.sink);
    otherSearch(s.result.report, kOfMirrored).ms = watch.ms();
    return goIf(done);
}

Next plan(SceneState& s) {
    const bool done = planScene(s, true);
    countChoice(s);
    return goIf(done);
}

Next execute(SceneState& s) {
    if (const std::optional<Error> refused = refusal(s.result.report)) {
        throw Error(*refused);
    }
    s.sink.enter(Phase::Run);
    const PeakMeter meter;
    const bool oneMap = s.groups().size() == 1;
    double expected = 0;
    std::int64_t all = 0;           // members of all groups that run
    std::vector<GroupRun*> waiting; // all groups, unless only some must be run once more
    for (GroupRun& group : s.groups()) {
        if (!group.hasRun()) {
            waiting.push_back(&group);
            if (!s.lands && !group.makeMap(s.stop)) { // else it is being filled
                return Next::Stopped;
            }
            expected += group.expectedMs();
            all += group.members();
        }
    }
    if (oneMap) {
        startMap(s);
    }
    tellWhatIsOpen(s);
    lookAhead(s);
    double done = 0;
    std::int64_t members = 0; // searched before
    for (GroupRun* const group : waiting) {
        const double share = expected > 0 ? group->expectedMs() / expected : 1;
        const GroupRun::Progress progress{
            .regionFinished =
                [&](const base::Box& box) {
                    if (oneMap) {
                        s.sink.regionFinished(box);
                    }
                },
            .share = [&](double part) { s.sink.progress(std::min(1.0, done + part * share)); },
            .prepared = [&s] { runAhead(s); },
            .searched = [&](std::int64_t now,
                            std::int64_t) { s.sink.searched(members + now, all); },
            .best =
                [&](std::shared_ptr<const method::MatchMap> best) {
                    if (oneMap && s.sink.wantsMaps()) {
                        s.sink.bestSoFar(std::move(best));
                    }
                }};
        if (!executeGroup(s, *group, progress)) {
            if (oneMap && group->settlePart()) {
                reportRun(s, meter);
                s.result.report.peaksIncomplete = unfinishedText(s.result.report);
            }
            return Next::Stopped;
        }
        done += share;
        members += group->members();
    }
    s.work->hold = {};
    reportRun(s, meter);
    return Next::Go;
}

Next findPeaks(SceneState& s) {
    s.sink.enter(Phase::Peaks);
    const base::Stopwatch watch;
    s.maps.clear();
    for (GroupRun& group : s.groups()) {
        s.maps.push_back(group.searched(s.stop));
    }
    // A stop may have left the statistics half counted: again, where that takes less than a second.
    constexpr std::int64_t kMostAgain = std::int64_t{1} << 28;
    const auto map = s.groups().size() == 1 ? s.groups().front().map() : nullptr;
    bool counted = !s.stopped();
    if (!counted && map && map->value.count() <= kMostAgain) {
        (void)s.groups().front().searched({});
        counted = true;
    }
    s.result.mapFinished = counted && map && s.job.null == match::NullTemplate::None;
    takeSearch(s.groups().front(), s.result);
    s.sink.progress(0.2);
    FoundPeaks found = peaksOf(
        s.job, s.inputs().sceneView(), s.maps, s.result.geometry,
        s.null.law(s.job, s.inputs(), s.result, s.maps,
                   static_cast<double>(s.stream.frames ? s.stream.frames->count() : 1), s.stop),
        s.stop, [&s](double share) { s.sink.progress(0.2 + 0.6 * share); });
    if (s.stopped()) { // what was found is unspecified
        reportGroups(s);
        return Next::Stopped;
    }
    s.result.peaks = std::move(found.peaks);
    s.result.report.peaksIncomplete = std::move(found.incomplete);
    s.result.report.threshold = std::move(found.threshold);
    if (s.result.report.threshold) {
        for (const std::string& sentence : s.result.report.threshold->warnings) {
            addWarning(s.result, sentence);
        }
    }
    markPeaksOfTemplates(s.inputs(), s.result);
    s.result.report.run->peaksMs = watch.ms();
    return Next::Go;
}

Next judgeHands(SceneState& s) {
    const base::Stopwatch watch;
    s.result.report.handedness = s.hands.judge(s.job, s.inputs(), s.result, s.maps, s.stop);
    s.result.report.run->peaksMs += watch.ms();
    return Next::Go;
}

/// Compares scores with the definition. What a GPU computed wrongly is computed elsewhere.
Next audit(SceneState& s) {
    s.sink.progress(0.8);
    for (std::size_t i = 0; i < s.groups().size() && !s.stopped(); ++i) {
        s.groups()[i].audit(s.result.peaks, s.stop);
    }
    if (s.stopped()) {
        reportGroups(s);
        return Next::Stopped;
    }
    bool again = false;
    for (GroupRun& group : s.groups()) {
        if (const std::optional<Error> wrong = group.distrust()) {
            again = true;
            s.sink.verification(Verification::Failed, wrong->what());
            if (!fallBack(s, group, *wrong)) {
                return Next::Stopped;
            }
        }
    }
    if (again) {
        return Next::Again;
    }
    if (s.byGpu()) {
        s.sink.verification(Verification::Passed, {});
    }
    reportGroups(s);
    s.result.report.audit = totalAudit(s.groups());
    return Next::Go;
}

/// Of searching for other templates in as many poses. All members are made once more before, to be
/// compared with the job's own.
double otherMs(const SceneState& s) {
    double ms = 0;
    for (const GroupRun& group : s.groups()) {
        ms += group.otherMs();
    }
    return ms;
}

void expect(SceneState& s, std::string_view of, double ms) {
    otherSearch(s.result.report, of).predictedMs = ms;
}

void expectNull(SceneState& s) {
    double ms = otherMs(s);
    if (isRoundNull(s.job) && !s.inputs().banks.empty()) {
        double members = 0;
        for (const GroupRun& group : s.groups()) {
            members += static_cast<double>(group.members());
        }
        ms *= static_cast<double>(s.inputs().templates.size()) *
              static_cast<double>(s.inputs().banks.front()->cover().scales.size()) / members;
    }
    expect(s, kOfNull, ms);
}

void expectHands(SceneState& s) { expect(s, kOfMirrored, otherMs(s)); }

/// The plans of the groups are the prediction; 0 where none of them can run.
std::optional<Forecast> predict(SceneState& s, double /*within*/) {
    double ms = 0;
    for (const GroupRun& group : s.groups()) {
        if (group.report().plan.chosen() == nullptr) {
            return Forecast{};
        }
        ms += group.expectedMs();
    }
    return Forecast{ms};
}

bool wantsNull(const Job& job) { return job.null != match::NullTemplate::None; }
bool wantsHands(const Job& job) { return job.handedness; }

constexpr std::array kExhaustiveSteps{
    MatchStep{
        .name = "null template", .isWanted = wantsNull, .run = searchNull, .expect = expectNull},
    MatchStep{.name = "mirrored templates",
              .isWanted = wantsHands,
              .run = searchHands,
              .refuse = requireHands,
              .expect = expectHands},
    MatchStep{.name = "plan", .run = plan},
    MatchStep{.name = "run", .run = execute, .repeats = true},
    MatchStep{.name = "peaks", .run = findPeaks, .refuse = requireThreshold},
    MatchStep{.name = "hands", .isWanted = wantsHands, .run = judgeHands},
    MatchStep{.name = "audit", .run = audit},
};

} // namespace

const Strategy& exhaustiveStrategy() {
    static constexpr Strategy kStrategy{
        .search = job::Search::Exhaustive, .predict = predict, .steps = kExhaustiveSteps};
    return kStrategy;
}

} // namespace flcc::job::detail
