#pragma once

#include <memory>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"
#include "engine/plan/planner.h"

namespace flcc::bench {

/// The problem that a scene and a template pose.
[[nodiscard]] method::Problem problemOf(const base::AnyImage& scene, const base::AnyImage& templ);

/// This program on one problem: planned at construction, then timed call by call.
class OwnRun {
  public:
    OwnRun(const base::AnyImage& scene, const base::AnyImage& templ, plan::Planning planning,
           base::TilePool& pool);

    /// Prepares, makes the workspace and executes; milliseconds of all, `execute_ms` of a report.
    double run();

    [[nodiscard]] const plan::PlanReport& report() const { return m_plan->report(); }
    [[nodiscard]] const method::MatchMap& map() const { return m_map; }

    /// What the plan promised: the time measured on a sample, else the model's.
    [[nodiscard]] double predictedMs() const;

  private:
    method::MaskedView m_scene;
    method::MaskedView m_templ;
    base::TilePool& m_pool;
    std::shared_ptr<const plan::Plan> m_plan;
    method::MatchMap m_map;
};

/// OpenCV's matchTemplate(TM_CCOEFF_NORMED) on one problem. Its scene and template are converted
/// to float32 at construction, outside of the time.
class OpenCvRun {
  public:
    OpenCvRun(const base::AnyImage& scene, const base::AnyImage& templ);

    /// One call; milliseconds.
    double run();

    [[nodiscard]] base::View<const float> map() const;

    static void setThreads(int threads);
    [[nodiscard]] static const char* version();

  private:
    base::Image<float> m_scene;
    base::Image<float> m_templ;
    base::Image<float> m_map;
};

/// The middle value; `values` is not empty.
[[nodiscard]] double median(std::vector<double> values);

} // namespace flcc::bench
