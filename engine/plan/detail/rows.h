#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/method/method.h"
#include "engine/plan/planner.h"

/// The candidates of a planning, and what is said of each.
namespace flcc::plan {

/// A candidate is timed only if its prediction is at most this many times the best prediction.
inline constexpr double kPlausible = 3.0;

/// A candidate of a planning.
struct Row {
    const method::Method* method = nullptr;
    CandidateReport report;

    [[nodiscard]] bool usable() const { return report.usable(); }
    /// The expected time of a usable candidate, in milliseconds.
    [[nodiscard]] double ms() const { return *report.expectedMs(); }
};

/// True if a request for the device `asked` allows `device`. "auto" allows all, "cuda" any GPU.
[[nodiscard]] bool allows(std::string_view asked, std::string_view device);

/// The candidates of all methods that a request asks for, predicted or refused, and a refused one
/// for each method on a requested GPU that cannot be used. **Errors**: Problem for a replayed
/// candidate of a method that this program lacks.
[[nodiscard]] std::vector<Row> considered(const method::Problem& problem, const Request& request,
                                          const method::SceneStatistics* statistics,
                                          const method::CostModel& model);

/// Usable rows first, the fastest one in front.
void sortByTime(std::vector<Row>& rows);

/// Replaces the candidates on devices that would be chosen or timed by those that fit into the
/// memory that is free there, and sorts the rows by time. Other devices are not asked, since asking
/// makes a context on them, which takes a second and some hundred megabytes.
void fitIntoDevices(std::vector<Row>& rows, const method::Problem& problem, const Request& request,
                    const method::SceneStatistics* statistics, const method::CostModel& model);

/// Sets verdict and reason of the usable rows. The first one is chosen.
void explain(std::vector<Row>& rows, const PlanReport& report, bool replayed);

} // namespace flcc::plan
