#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/job/detail/inputs.h"
#include "engine/job/job.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

/// What a plan runs with: nothing, or all of it.
struct Tools {
    std::vector<std::shared_ptr<const method::Prepared>> prepared{};
    std::unique_ptr<method::Workspace> workspace{};
};

/// What a scene leaves to those that pose the same problem with the same templates.
struct Shared {
    int scene = 0; ///< the number of the one it was made for
    method::Problem problem;
    std::shared_ptr<const plan::Plan> plan; ///< null when all candidates were refused
    plan::PlanReport report;
    Tools tools{}; ///< nothing: the templates are prepared again
};

/// The templates of one extent: planned and run as a whole, with one map of the best scores.
class GroupRun {
  public:
    struct Wants {
        bool keeps = false;                ///< what was prepared stays after the run, for leave()
        bool map = true;                   ///< the map comes back whole
        int runs = 1;                      ///< on the scene, one for each group
        method::SceneHold* hold = nullptr; ///< of more than one; must live as long
    };
    /// `inputs` must live as long. Takes the scene's statistics, which mean nothing when stopped.
    GroupRun(const Job& job, const Inputs& inputs, std::vector<int> numbers, const Wants& wants,
             const std::stop_token& stop);

    /// Takes over what another scene left or shares for this problem(); plan() has nothing to do
    /// then.
    void takeOver(Shared shared);
    /// The scene whose plan, whose prepared templates were taken over; empty without.
    [[nodiscard]] std::optional<int> planOf() const;
    [[nodiscard]] std::optional<int> preparedOf() const;
    /// What scene `number`, that of this run, leaves to the next one. The last call.
    [[nodiscard]] Shared leave(int number);
    /// What it has for scenes that run beside it: all but a workspace. Once Progress::prepared was
    /// told, or after takeOver().
    [[nodiscard]] Shared share(int number) const;

    [[nodiscard]] const method::Problem& problem() const { return m_problem; }
    /// What the group reports; its plan's problem is there from the start.
    [[nodiscard]] GroupReport& report() { return m_report; }
    [[nodiscard]] const GroupReport& report() const { return m_report; }
    /// Chooses a candidate, and makes its transforms with `warmUp`; leaves the report. False when
    /// stopped. **Errors**: those of plan::makePlan; CommandLine for a tile with too few numbers.
    [[nodiscard]] bool plan(const plan::Request& request, bool warmUp, const std::stop_token& stop);
    /// Plans again after a GPU failed in execute() or earned distrust(): for what is next best
    /// among all that the job allows, without what failed before, or after wrong results for the
    /// processor where it may; the report keeps the rows that failed with the reasons. A lost
    /// device refuses all. The map is gone, and the group has not run. False when stopped.
    /// **Errors**: as plan(); `failure` itself where the job replays a plan, where no GPU ran, and
    /// where the GPU that is asked for can do nothing else or was wrong; `failure` with the reason
    /// where the processor cannot do it either.
    [[nodiscard]] bool fallBack(const plan::Request& request, const base::Error& failure,
                                const std::stop_token& stop);
    /// What is planned runs on a GPU. Needs a plan.
    [[nodiscard]] bool byGpu() const { return !m_plan->candidate().onProcessor(); }
    /// The device that has the scene after this run, when it was on `before`; empty for none.
    [[nodiscard]] std::string sceneOn(const std::string& before) const;
    /// What planning expects the run to take. Needs a plan.
    [[nodiscard]] double expectedMs() const;

    /// Makes the map, and the index where it is needed; none where it stays on the device.
    void makeMap();
    /// Told what of the map is done for good in the last turn, and the share of all turns.
    struct Progress {
        std::function<void(const base::Box&)> regionFinished;
        std::function<void(double)> share;
        std::function<void()> prepared{}; ///< comes before a scene that is not repeated runs
    };
    /// True after execute() or settle() until fallBack().
    [[nodiscard]] bool hasRun() const { return m_report.run.has_value(); }
    /// Runs the plan as often as the job says. False when stopped.
    [[nodiscard]] bool execute(const Progress& progress, const std::stop_token& stop);
    /// The part of execute() that another thread may do, while what is const and does not ask for
    /// the run may be called; settle() does the rest when it is true.
    [[nodiscard]] bool compute(const Progress& progress, const std::stop_token& stop);
    void settle();
    /// After an error of execute() or compute(): ready for another one, with what was prepared.
    void clear();

    /// Null until makeMap(), and where it stays on the device.
    [[nodiscard]] const std::shared_ptr<method::MatchMap>& map() const { return m_map; }
    /// Null where nobody asks which template gave a score.
    [[nodiscard]] const std::shared_ptr<base::Image<std::int32_t>>& index() const {
        return m_index;
    }

    /// Takes the statistics of the map; what findPeaks needs of this group.
    [[nodiscard]] match::SearchedMap searched(const std::stop_token& stop);
    /// Computes scores again, those of a GPU whatever the job says; `peaks` are those of all groups
    /// and count from the part of the scene that is searched.
    void audit(const std::vector<match::Peak>& peaks, const std::stop_token& stop);
    /// After audit(): the error of a GPU whose result is wrong; empty otherwise.
    [[nodiscard]] std::optional<base::Error> distrust() const;

  private:
    [[nodiscard]] bool reduces() const;
    void nameFftPlanning(const plan::Request& request);
    [[nodiscard]] method::Outcome executeOnce(base::TilePool& pool, const Progress& progress,
                                              int turn, const std::stop_token& stop);
    [[nodiscard]] method::Outcome executePrepared(const method::Execution& execution,
                                                  const Progress& progress);
    [[nodiscard]] Shared whatIsShared(int number) const;

    const Job& m_job;
    const Inputs& m_inputs;
    std::vector<int> m_numbers;
    bool m_keeps;
    method::SceneHold* m_hold;
    std::vector<plan::CandidateReport> m_failed; ///< in runs of this group
    bool m_tookOver = false;
    Shared m_shared;
    method::Problem m_problem;
    method::SceneStatistics m_statistics;
    std::shared_ptr<const plan::Plan> m_plan;
    std::shared_ptr<method::MatchMap> m_map;
    std::shared_ptr<base::Image<std::int32_t>> m_index;
    std::shared_ptr<const method::ReducedMap> m_reduced; ///< instead of the map
    GroupReport m_report;
    method::Outcome m_outcome; ///< of the last turn
    int m_threads = 1;         ///< that did it
    std::vector<double> m_executeMs;
    std::vector<double> m_streamMs;
};

/// The runs of all groups as one: times summed, threads the most.
[[nodiscard]] RunReport totalRun(const std::vector<GroupRun>& groups);
/// The audits of all groups as one: what failed first, counts summed, deviations the largest.
[[nodiscard]] AuditReport totalAudit(const std::vector<GroupRun>& groups);

} // namespace flcc::job::detail
