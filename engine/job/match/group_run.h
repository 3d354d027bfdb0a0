#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/job/input/inputs.h"
#include "engine/job/job.h"
#include "engine/job/match/group_plan.h"
#include "engine/match/search_statistics.h"
#include "engine/method/session.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

/// The templates of one extent. They are planned and run together, with one map of the best scores.
class GroupRun {
  public:
    struct Wants {
        bool keeps = false; ///< prepared templates are kept after the run, for leave()
        bool map = true;    ///< the whole map is copied back
        int runs = 1;       ///< number of runs on the scene, one for each group
        method::SceneHold* hold = nullptr; ///< null for a single run; must outlive the group
    };
    /// `inputs` must outlive the group. Computes the scene's statistics; if cancelled, they are
    /// unspecified.
    GroupRun(const Job& job, const Inputs& inputs, std::vector<int> numbers, const Wants& wants,
             const std::stop_token& stop);

    /// Uses what another scene left or shares for the same problem(). plan() then only looks
    /// whether this scene needs more memory than the limit, and plans anew if it does. Prepared
    /// templates are used only if they are those of this scene, too: scenes whose axes run in other
    /// directions turn them.
    void takeOver(Shared shared);
    /// The scene whose plan or prepared templates are used; empty if none.
    [[nodiscard]] std::optional<int> planOf() const { return m_plan->from(); }
    [[nodiscard]] std::optional<int> preparedOf() const;
    /// What scene `number`, the scene of this run, passes to the next scene. Must be the last call.
    [[nodiscard]] Shared leave(int number);
    /// What this run shares with scenes that run at the same time: everything except the workspace.
    /// Call it after Progress::prepared or after takeOver().
    [[nodiscard]] Shared share(int number) const;

    [[nodiscard]] const method::Problem& problem() const { return m_group->problem; }
    /// The report of the group; its plan's problem is set from the start.
    [[nodiscard]] GroupReport& report() { return m_group->report; }
    [[nodiscard]] const GroupReport& report() const { return m_group->report; }
    /// Chooses a candidate and writes the report; with `warmUp` also makes its transforms. False if
    /// cancelled. **Errors**: as plan::makePlan; CommandLine for a tile with too few numbers.
    [[nodiscard]] bool plan(const plan::Request& request, bool warmUp, const std::stop_token& stop);
    /// Plans again after a GPU failed in execute() or distrust() returned an error. Candidates are
    /// all that the job allows, without those that failed before; after wrong results only the
    /// processor, if the job allows it. A lost device refuses all its candidates. The report keeps
    /// the failed rows with their reasons. Afterwards there is no map and hasRun() is false. False
    /// if cancelled.
    /// **Errors**: as plan(). `failure` itself if the job replays a plan, if no GPU ran, or if the
    /// requested GPU has no other candidate or computed wrong results. `failure` with the reason
    /// added if the processor cannot run either.
    [[nodiscard]] bool fallBack(const plan::Request& request, const base::Error& failure,
                                const std::stop_token& stop);
    /// True if the planned candidate runs on a GPU. Needs a plan.
    [[nodiscard]] bool byGpu() const { return m_plan->byGpu(); }
    /// The device that holds the scene after this run if `before` held it before; empty if none.
    [[nodiscard]] std::string sceneOn(const std::string& before) const {
        return m_plan->sceneOn(before);
    }
    /// Templates, in all poses.
    [[nodiscard]] std::int64_t members() const { return m_group->members(); }
    /// Those that an earlier run searched.
    [[nodiscard]] std::int64_t keptMembers() const { return m_plan->keptMembers(); }
    /// Those whose scores the map holds after a run; fewer than members() if it was stopped.
    [[nodiscard]] std::int64_t doneMembers() const { return m_made.doneMembers; }
    /// What a search over poses takes beside the plan of its batch, in bytes.
    [[nodiscard]] std::int64_t besideBytes() const { return m_plan->besideBytes(); }
    /// Predicted time of the run, with all batches of poses that are not kept. Needs a plan.
    [[nodiscard]] double expectedMs() const { return m_plan->expectedMs(); }
    /// Predicted time of searching for as many other templates in the same poses, which are made
    /// once more before. Needs a plan.
    [[nodiscard]] double otherMs() const { return m_plan->otherMs(); }

    /// Allocates the map, and the index if it is needed; nothing if the map stays on the device.
    /// Needs a plan. The threads of the plan write the first values: new memory takes seconds for a
    /// large map, because the system clears it when it is touched. False if cancelled: there is no
    /// map then.
    [[nodiscard]] bool makeMap(const std::stop_token& stop);
    /// Called with the finished regions of the map in the last repetition, and the finished share
    /// of all repetitions.
    struct Progress {
        std::function<void(const base::Box&)> regionFinished;
        std::function<void(double)> share;
        std::function<void()> prepared{}; ///< called before a scene that is not repeated runs
        /// Of a search over poses: members searched so far, of so many; and a copy of the best
        /// scores so far, at most twice a second.
        std::function<void(std::int64_t, std::int64_t)> searched{};
        std::function<void(std::shared_ptr<const method::MatchMap>)> best{};
    };
    /// True after execute() or settle(), until fallBack().
    [[nodiscard]] bool hasRun() const { return m_group->report.run.has_value(); }
    /// Runs the plan as often as the job requests. False if cancelled.
    [[nodiscard]] bool execute(const Progress& progress, const std::stop_token& stop);
    /// The part of execute() that another thread may do. Meanwhile const functions that do not need
    /// the run may be called. If it returns true, settle() does the rest.
    [[nodiscard]] bool compute(const Progress& progress, const std::stop_token& stop);
    void settle();
    /// After execute() was cancelled: reports the part of a search over poses that is finished.
    /// False if there is none.
    [[nodiscard]] bool settlePart(const std::stop_token& stop = {});
    /// Call it after an error of execute() or compute(): makes another run possible and keeps the
    /// prepared templates.
    void clear();

    /// Null before makeMap(), and if the map stays on the device.
    [[nodiscard]] const std::shared_ptr<method::MatchMap>& map() const { return m_made.map; }
    /// Null if the index is not requested.
    [[nodiscard]] const std::shared_ptr<base::Image<std::int32_t>>& index() const {
        return m_made.index;
    }

    /// The statistics of the search after searched(); null if the job does not ask for them.
    [[nodiscard]] const std::shared_ptr<const match::SearchMaps>& searchMaps() const {
        return m_made.search;
    }
    [[nodiscard]] const std::optional<SearchReport>& searchReport() const { return m_made.figures; }

    /// Computes the statistics of the map and returns what findPeaks needs from this group.
    [[nodiscard]] match::SearchedMap searched(const std::stop_token& stop);
    /// Compares scores with the definition; results of a GPU are always checked, whatever the job
    /// says. `peaks` are those of all groups and count from the part of the scene that is searched.
    void audit(const std::vector<match::Peak>& peaks, const std::stop_token& stop);
    /// After audit(): the error for a GPU with a wrong result; else empty.
    [[nodiscard]] std::optional<base::Error> distrust() const;

  private:
    /// What a run leaves.
    struct Made {
        std::shared_ptr<method::MatchMap> map;
        std::shared_ptr<base::Image<std::int32_t>> index;
        std::shared_ptr<const method::ReducedMap> reduced; ///< set instead of the map
        std::unique_ptr<method::SearchTotals> sums;        ///< until `search` is made
        std::optional<match::Likeness> likeness;
        std::shared_ptr<const match::SearchMaps> search;
        std::optional<SearchReport> figures;
        method::Outcome outcome; ///< of the last repetition
        std::int64_t doneMembers = 0;
        int threads = 1; ///< of the last repetition
        std::vector<double> executeMs;
        std::vector<double> streamMs;
    };
    [[nodiscard]] bool reduces() const;
    [[nodiscard]] method::Outcome executeOnce(base::TilePool& pool, const Progress& progress,
                                              int turn, const std::stop_token& stop);
    [[nodiscard]] method::Outcome executePrepared(const method::Execution& execution,
                                                  const Progress& progress);
    [[nodiscard]] method::Outcome searchPoses(const method::Execution& execution,
                                              const Progress& progress);
    [[nodiscard]] method::BankView bankView();
    [[nodiscard]] method::Counted counted() const;
    void countSearch();
    [[nodiscard]] Shared whatIsShared(int number) const;

    std::unique_ptr<Group> m_group; ///< which the plan refers to
    std::unique_ptr<GroupPlan> m_plan;
    bool m_keeps;
    method::SceneHold* m_hold;
    method::Session m_session{}; ///< with the prepared templates
    Made m_made{};
};

/// The runs of all groups combined: sum of times, largest number of threads.
[[nodiscard]] RunReport totalRun(const std::vector<GroupRun>& groups);
/// The audits of all groups combined: first failure, sum of counts, largest deviations.
[[nodiscard]] AuditReport totalAudit(const std::vector<GroupRun>& groups);

} // namespace flcc::job::detail
