#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/job/report.h"
#include "engine/job/report/json_rows.h"

/// The parts of the report of a match as JSON. Each lies beside the words for the same part.
namespace flcc::job::detail::json {

/// The problem of one group of templates; `numbers` are theirs.
[[nodiscard]] Json problemJson(const JobReport& report, const plan::PlanReport& plan,
                               const std::vector<int>& numbers);
/// Writes the rows of a plan and the chosen one.
void putPlan(Json& json, const plan::PlanReport& plan);
[[nodiscard]] Json templatesJson(const JobReport& report);
[[nodiscard]] Json toJson(const MapReport& map);
[[nodiscard]] Json toJson(const AuditReport& audit);
[[nodiscard]] Json toJson(const PreparationReport& report);
[[nodiscard]] Json toJson(const PosesReport& poses);
[[nodiscard]] Json toJson(const SearchReport& search);
[[nodiscard]] Json toJson(const HandednessReport& hands);
[[nodiscard]] Json toJson(const std::vector<OtherSearch>& others);
/// `under`: the rank of the peak that it overlaps most (ranksUnder()).
[[nodiscard]] Json toJson(const match::Peak& peak, std::size_t rank,
                          std::optional<std::size_t> under, match::Decision decision);
[[nodiscard]] Json toJson(const StreamReport& stream);
[[nodiscard]] Json toJson(const FrameReport& frame);

} // namespace flcc::job::detail::json
