#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/job/input/inputs.h"
#include "engine/job/job.h"
#include "engine/job/match/kept_search.h"
#include "engine/job/match/pose_timing.h"
#include "engine/method/session.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

/// What a scene passes to scenes of the same problem with the same templates.
struct Shared {
    int scene = 0; ///< the number of the scene it was made for
    method::Problem problem;
    std::shared_ptr<const plan::Plan> plan; ///< null if all candidates were refused
    plan::PlanReport report;
    /// The templates and masks that the session has prepared.
    std::vector<std::shared_ptr<const void>> images{};
    method::Session session{}; ///< without templates: they are prepared anew
};

/// The templates of one extent, what is asked of them and what is known of them.
struct Group {
    /// `with` must outlive it. `wholeMap`: the whole map is copied back, whatever the job needs.
    /// `runs`: of all groups on the scene. If cancelled, the statistics are unspecified.
    Group(const Job& from, const Inputs& with, std::vector<int> which, bool wholeMap, int runs,
          const std::stop_token& stop);

    const Job& job;
    const Inputs& inputs;
    std::vector<int> numbers;
    std::shared_ptr<const rotation::PoseBank> bank; ///< of a search over poses; else null
    std::vector<base::Box> placements;              ///< of its members that count
    method::Problem problem; ///< once a search over poses is planned, that of a batch
    method::SceneStatistics statistics;
    GroupReport report; ///< its plan's problem is set from the start

    /// Templates, in all poses.
    [[nodiscard]] std::int64_t members() const { return inputs.countOf(numbers); }
    [[nodiscard]] std::vector<std::shared_ptr<const void>> images() const;
};

/// The choice of a candidate for a group, with what it is expected to take. Writes the plan in the
/// group's report.
class GroupPlan {
  public:
    /// The group must outlive it.
    explicit GroupPlan(Group& group) : m_group(group) {}

    [[nodiscard]] bool exists() const { return m_plan != nullptr; }
    [[nodiscard]] const plan::Plan& get() const { return *m_plan; }
    [[nodiscard]] const std::shared_ptr<const plan::Plan>& shared() const { return m_plan; }
    [[nodiscard]] const method::Candidate& candidate() const { return m_plan->candidate(); }
    [[nodiscard]] bool byGpu() const { return !candidate().onProcessor(); }
    /// The device that holds the scene after the run if `before` held it before; empty if none.
    [[nodiscard]] std::string sceneOn(const std::string& before) const;

    /// Uses the plan of another scene, which stands unless this scene needs more memory than the
    /// limit.
    void takeOver(const Shared& shared);
    /// The scene whose plan is used; empty if none.
    [[nodiscard]] std::optional<int> from() const { return m_from; }
    /// Whether a plan that was taken over needs not to be made anew; states its memory here.
    [[nodiscard]] bool stands(const method::Limits& limits);
    /// Chooses a candidate; with `warmUp` also makes its transforms. False if cancelled.
    /// **Errors**: as plan::makePlan; CommandLine for a tile with too few numbers.
    [[nodiscard]] bool make(const plan::Request& request, bool warmUp, const std::stop_token& stop);
    /// As GroupRun::fallBack(). `wrong`: the GPU did not fail, but its results are wrong. `clear`
    /// gives the memory of the failed run back, before the new plan asks for it.
    [[nodiscard]] bool fallBack(const plan::Request& request, const base::Error& failure,
                                bool wrong, const std::function<void()>& clear,
                                const std::stop_token& stop);

    /// What a search over poses takes beside the plan of its batch, in bytes.
    [[nodiscard]] std::int64_t besideBytes() const;
    /// The rest need a plan. Runs that the plan's times are of: batches of members not kept.
    [[nodiscard]] std::int64_t batches() const;
    /// Predicted time of the run, with all batches of poses that are not kept.
    [[nodiscard]] double expectedMs() const { return searchMs(m_group.members() - m_keptMembers); }
    /// Predicted time of searching for as many other templates in the same poses, which are made
    /// once more before.
    [[nodiscard]] double otherMs() const;
    /// Corrects the remembered times by what the run took.
    void learn(double ms) const;

    /// The part of a search over poses that an earlier run finished; null if none is kept.
    [[nodiscard]] const KeptSearch* kept() const { return m_kept.get(); }
    [[nodiscard]] KeptSearch* kept() { return m_kept.get(); }
    [[nodiscard]] std::int64_t keptMembers() const { return m_keptMembers; }
    /// Counts the kept members again for the candidate that runs.
    void countKept();

  private:
    void nameFftPlanning(const plan::Request& request);
    [[nodiscard]] plan::Planned planned(plan::Request& asked, base::TilePool& pool,
                                        const std::stop_token& stop);
    void timeBatches(const plan::Request& request, base::TilePool& pool,
                     const std::stop_token& stop);
    [[nodiscard]] std::string timesKey(const plan::Request& request) const;
    [[nodiscard]] double searchMs(std::int64_t members) const;

    Group& m_group;
    std::shared_ptr<const plan::Plan> m_plan;
    std::optional<int> m_from;
    std::vector<plan::CandidateReport> m_failed; ///< candidates that failed in runs of this group
    std::unique_ptr<KeptSearch> m_kept;
    std::int64_t m_keptMembers = 0;
    std::string m_timesKey;           ///< of the remembered times that a run corrects; empty: none
    std::optional<PoseTimes> m_times; ///< of a search over poses, measured before the run
};

} // namespace flcc::job::detail
