#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/job/report.h"

namespace flcc::job::detail {

/// Where peaks are told to people.
enum class ToldIn { Text, Page };

/// A column of the tables of peaks in texts and pages.
struct ToldColumn {
    const char* title; ///< of world coordinates the unit follows
    /// False where the column would say nothing in this report, or is not told in such a place.
    bool (*isThere)(const JobReport&, ToldIn);
    /// The cell of peak `i` of the report; empty where it has no such value.
    std::string (*of)(const JobReport&, std::size_t i, ToldIn);
};

/// All columns, in their order: the one list of what is told of a peak.
[[nodiscard]] std::span<const ToldColumn> toldColumns();

/// The head and a row for each of the first `most` peaks.
[[nodiscard]] std::vector<std::vector<std::string>> toldPeaks(const JobReport& report, ToldIn where,
                                                              std::size_t most);

} // namespace flcc::job::detail
