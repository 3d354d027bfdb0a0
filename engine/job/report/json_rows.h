#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/job/difference.h"
#include "engine/job/report.h"

/// The parts that reports of several kinds of jobs have in common, as JSON.
namespace flcc::job::detail::json {

using Json = nlohmann::ordered_json;

/// The version of reports: `version` of resources/schemas/report.schema.json. It grows when a key
/// changes its meaning or goes.
inline constexpr int kReportVersion = 1;

[[nodiscard]] Json toJson(const base::Extents& extents);
[[nodiscard]] Json toJson(const base::Index& index);
[[nodiscard]] Json toJson(const base::Point& point);
[[nodiscard]] Json toJson(const base::Box& box);
[[nodiscard]] Json toJson(const plan::CandidateReport& row);
[[nodiscard]] Json toJson(const RunReport& run, double planningMs);
[[nodiscard]] Json toJson(const ThresholdReport& threshold);
[[nodiscard]] Json toJson(const ComparedLists& lists);

template <class T> [[nodiscard]] Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}
/// Null for an empty text.
[[nodiscard]] Json orNull(const std::string& text);

/// The world axes of a geometry; null if they have no name.
[[nodiscard]] Json axesJson(const base::Geometry& geometry);
/// The candidate of such a row. A key that no row has is an error: it may be a misspelt one, whose
/// value would silently be the default. **Errors**: any std::exception, in words.
[[nodiscard]] method::Candidate candidateOf(const Json& row);
[[nodiscard]] Json candidatesJson(const std::vector<plan::CandidateReport>& rows);
[[nodiscard]] Json inputsJson(const std::vector<InputReport>& inputs);
/// Versions, processor and instructions.
[[nodiscard]] Json environmentJson(const Environment& environment);
/// The same with devices, for a job with a plan.
[[nodiscard]] Json environmentJson(const Environment& environment, bool calibrated);

/// All texts of a document by base::storedText(), so that it can be written as UTF-8.
[[nodiscard]] Json stored(Json json);
/// The same document with its texts by base::restoredText(): names of files are bytes again.
[[nodiscard]] Json restored(Json json);
/// The text of a report, all texts stored.
[[nodiscard]] std::string fileText(const Json& report);

} // namespace flcc::job::detail::json
