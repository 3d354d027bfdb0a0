#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/method/match_map.h"
#include "engine/method/method.h"
#include "engine/method/problem.h"
#include "engine/plan/planner.h"

namespace flcc::bench {

/// What `action()` takes, in milliseconds.
template <class Action> double millisecondsOf(Action&& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

/// The problem that a scene and a template pose.
[[nodiscard]] method::Problem problemOf(const base::AnyImage& scene, const base::AnyImage& templ,
                                        method::Operation operation = {});

/// What calibration left on this machine, without times of problems, so that they are planned anew.
[[nodiscard]] const plan::Knowledge& machineKnowledge();

/// This program on one problem: planned at construction, then timed call by call.
class OwnRun {
  public:
    /// `method` as a job has it: "auto", "direct", "tiled", ...
    OwnRun(const base::AnyImage& scene, const base::AnyImage& templ, plan::Planning planning,
           base::TilePool& pool, const std::string& method = "auto",
           method::Operation operation = {});

    /// Prepares, makes the workspace and executes; milliseconds of all, `execute_ms` of a report.
    double run();

    [[nodiscard]] const plan::PlanReport& report() const { return m_plan->report(); }
    [[nodiscard]] const method::Candidate& candidate() const { return m_plan->candidate(); }
    [[nodiscard]] const method::MatchMap& map() const { return m_map; }

    /// What the last run told beside the map.
    [[nodiscard]] const method::Outcome& outcome() const { return m_outcome; }
    [[nodiscard]] std::int64_t lowConf() const;
    /// Milliseconds of a stage of the last run, summed over the threads; 0 for one it has not.
    [[nodiscard]] double stageMs(const std::string& name) const;

    /// What the plan promised: the time measured on a sample, else the model's.
    [[nodiscard]] double predictedMs() const;

  private:
    method::MaskedView m_scene;
    method::MaskedView m_templ;
    base::TilePool& m_pool;
    std::shared_ptr<const plan::Plan> m_plan;
    method::MatchMap m_map;
    method::Outcome m_outcome;
};

/// OpenCV's matchTemplate on one problem, in the mode of an operation (TM_CCOEFF_NORMED for lcc).
/// It takes 8-bit images and float: other types are converted to float32 at construction, outside
/// of the time.
class OpenCvRun {
  public:
    OpenCvRun(const base::AnyImage& scene, const base::AnyImage& templ,
              std::string_view operation = "lcc");

    /// False if OpenCV does not have the operation.
    [[nodiscard]] static bool has(std::string_view operation);

    /// One call; milliseconds.
    double run();

    [[nodiscard]] base::View<const float> map() const;

    static void setThreads(int threads);
    [[nodiscard]] static const char* version();

  private:
    base::AnyImage m_scene;
    base::AnyImage m_templ;
    int m_mode; ///< of matchTemplate
    base::Image<float> m_map;
};

/// A copy of `image` in float32.
[[nodiscard]] base::Image<float> toFloat(const base::AnyImage& image);

/// The largest difference of two maps over the voxels where both have a finite value.
struct Difference {
    double largest = 0;
    std::int64_t compared = 0;
};
[[nodiscard]] Difference difference(const method::MatchMap& own,
                                    const base::View<const float>& peer);

} // namespace flcc::bench
