#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/report.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job::detail {

/// A place where a fact is told in words.
enum class Told : unsigned {
    Problem = 1, ///< in a text, before the plan
    Results = 2, ///< in a text or a summary, after the peaks
    Summary = 4, ///< in a summary, before the peaks
    Page = 8     ///< in the first table of a page
};

/// A fact of the report of a match, told in all its forms: a key of the JSON, and lines under one
/// title in texts, summaries and pages.
struct Fact {
    std::string_view key; ///< empty: in words alone
    json::Json (*json)(const JobReport&) = nullptr;
    std::string_view title{};
    std::vector<std::string> (*lines)(const JobReport&) = nullptr; ///< empty: nothing to tell
    unsigned told = 0;                                             ///< places of Told
};

/// All facts beside problem, plan and run, in the order of the forms.
[[nodiscard]] std::span<const Fact> facts();

/// A line with its title.
struct ToldLine {
    std::string_view title;
    std::string text;
};
/// The lines that are told in such a place.
[[nodiscard]] std::vector<ToldLine> linesOf(const JobReport& report, Told where);

} // namespace flcc::job::detail
