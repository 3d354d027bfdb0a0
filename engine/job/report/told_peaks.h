#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/job/report.h"

namespace flcc::job::detail {

/// Where peaks are told to people.
enum class ToldIn { Text, Page };

/// The head of the table of peaks and a row for each of the first `most` peaks.
[[nodiscard]] std::vector<std::vector<std::string>> toldPeaks(const JobReport& report, ToldIn where,
                                                              std::size_t most);

} // namespace flcc::job::detail
