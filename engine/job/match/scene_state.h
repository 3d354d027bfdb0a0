#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/match/flight.h"
#include "engine/job/match/group_run.h"
#include "engine/job/match/scene_work.h"
#include "engine/job/match/scenes.h"
#include "engine/job/steps/handedness.h"
#include "engine/job/steps/null_search.h"
#include "engine/job/steps/step.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

/// One scene of a match while its steps are taken. A frame of a stack is a scene.
struct SceneState {
    const Job& job;
    const JobImages& images;
    const std::stop_token stop;
    JobSink& sink;
    Stream& stream;

    plan::Request request{};
    std::unique_ptr<Flight> flight{}; ///< set if the scene was started early
    bool lands = false;               ///< the result of the flight is not fetched yet
    std::unique_ptr<SceneWork> ownWork{};
    SceneWork* work = nullptr; ///< of the flight or of this object, once it is read
    NullSearch null{};
    HandSearch hands{};
    std::optional<io::PositionList> truth{}; ///< the list of Job::truth
    std::string failedSearch{};              ///< why a search left no list; empty: it did not fail
    std::vector<match::SearchedMap> maps{};  ///< of the groups, after the run
    JobResult result{};

    [[nodiscard]] const Inputs& inputs() const { return work->inputs; }
    [[nodiscard]] std::vector<GroupRun>& groups() const { return work->groups; }
    [[nodiscard]] bool stopped() const { return stop.stop_requested(); }
    /// Name of the scene for errors; empty for a job with one scene.
    [[nodiscard]] std::string name() const { return stream.several() ? stream.nameOf(0) : ""; }
    [[nodiscard]] WorkKind workKind() const { return {stream.several(), sink.wantsMaps()}; }
    [[nodiscard]] bool byGpu() const {
        return std::ranges::any_of(groups(), [](const GroupRun& each) { return each.byGpu(); });
    }
    void warn(const std::string& sentence) {
        result.notes.push_back(sentence);
        result.warnings.push_back(sentence);
    }

    /// Bytes of the maps of all groups, which stay in memory until the peaks are found.
    [[nodiscard]] std::int64_t mapBytes() const;
    /// The planning request of a group, without the memory of the other groups' maps.
    [[nodiscard]] plan::Request requestOf(const GroupRun& group) const;
};

using MatchStep = Step<SceneState, Job>;

/// What a way to search takes on a scene.
struct Forecast {
    double modelMs = 0;  ///< by the constants of a model
    double slower = 1;   ///< how many times as long this machine takes, where it was measured
    bool isMore = false; ///< at least this; how much more does not matter

    [[nodiscard]] double ms() const { return modelMs * slower; }
};

/// A way to find the peaks of a scene that is read: the steps to the list.
struct Strategy {
    Search search;
    /// Throws for options that this way has no values for, where the job asks for it by name.
    /// **Errors**: CommandLine, Problem.
    void (*refuse)(const Job&) = nullptr;
    /// Why it does not suit the job and the templates, for users; empty: it does.
    std::string (*against)(SceneState&) = nullptr;
    /// On the scene, whose groups are planned; nobody asks for more than `within` ms. Empty if
    /// cancelled.
    std::optional<Forecast> (*predict)(SceneState&, double within) = nullptr;
    std::span<const MatchStep> steps;
};
/// Computes the best score of every placement.
[[nodiscard]] const Strategy& exhaustiveStrategy();
/// Leaves out what cannot be a peak. Where that takes far longer than predicted, it leaves no list
/// but SceneState::failedSearch.
[[nodiscard]] const Strategy& prunedStrategy();
/// The same, and leaves out what hardly can be one.
[[nodiscard]] const Strategy& heuristicStrategy();

/// The way to search that the job asks for, or that is predicted to be the fastest of those that it
/// allows. Plans the groups where there is a choice, and reports it. Null if cancelled. **Errors**:
/// as runJob().
[[nodiscard]] const Strategy* chooseStrategy(SceneState& state);
/// Adds the time that the choice took to that of the plan.
void countChoice(SceneState& state);
/// The exhaustive search in the place of the chosen one, which failed.
[[nodiscard]] const Strategy* chooseInstead(SceneState& state);

/// Reads a scene, or takes it from a flight that was started before, and what the scene before left
/// for the same problems. With `images` false, outputs that need them are not checked. False if
/// cancelled. **Errors**: as runJob().
[[nodiscard]] bool readScene(SceneState& state, bool images);
/// Plans all groups; with `warmUp` their transforms are made. False if cancelled.
[[nodiscard]] bool planScene(SceneState& state, bool warmUp);
/// The same by another effort than the job's.
[[nodiscard]] bool planBy(SceneState& state, plan::Planning planning);

/// A SceneSearch.
[[nodiscard]] JobResult searchScene(const Job& job, const JobImages& images,
                                    const std::stop_token& stop, JobSink& sink);

/// Runs the job of one scene, or plans it. **Errors**: as runJob().
[[nodiscard]] JobResult runScene(SceneState& state);
[[nodiscard]] JobResult planOnly(SceneState& state);

/// Writes to the report what is known of the inputs.
void reportInputs(SceneState& state);
/// Copies the current reports of the groups to the job's report.
void reportGroups(SceneState& state);

/// Starts the next scenes if memory allows that beside all groups: scenes that a device can
/// compute at the same time are run; otherwise one scene is read.
void lookAhead(SceneState& state);
/// Runs as many of the next scenes as may be processed at the same time as this one.
void runAhead(SceneState& state);
/// Starts the scene `later` places after this one.
void begin(SceneState& state, std::size_t later, bool run);
/// Ends what runs beside this scene; from now on scenes run one after the other.
void ground(SceneState& state);
/// Decides how many scenes may be processed at once with a new plan.
void decideFlights(SceneState& state);

} // namespace flcc::job::detail
