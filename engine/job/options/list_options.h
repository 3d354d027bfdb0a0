#pragma once

#include "engine/job/options/options.h"

namespace flcc::job::detail {

/// Rows of the table: Job::peaksFormat and Job::peaksUnknowns.
[[nodiscard]] std::vector<Option<Job>> peakListOptions();

} // namespace flcc::job::detail
