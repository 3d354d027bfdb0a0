#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "engine/job/any_job.h"
#include "engine/job/kinds/result_comparison.h"

namespace flcc::job::detail {

/// The prefix of scenes that are built-in samples.
inline constexpr std::string_view kSample = "sample:";

/// What running the job of a report again gave.
struct Again {
    bool cancelled = false;
    json::Json report;        ///< of the second run
    std::vector<Found> found; ///< one for each part of the result that both reports have
};

/// Runs the job of the report `before`, which was read from `file`, by the candidate that it chose
/// and without outputs, and compares the results. **Errors**: as runJob(), runConvolve() and
/// runFeatures().
[[nodiscard]] Again runAgain(const AnyJob& job, const std::filesystem::path& file,
                             const json::Json& before, const std::stop_token& stop, JobSink* sink);

} // namespace flcc::job::detail
