#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/job/any_job.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job::detail {

/// The prefix of scenes that are built-in samples.
inline constexpr std::string_view kSample = "sample:";

/// The inputs of a report, looked for where the report lies now.
struct ReplayedInputs {
    std::string faults; ///< each input that is missing or changed, with its SHA-256; empty: none
    std::vector<std::string> notes;
    /// Paths of the report that are found elsewhere, as they are stated and as they are found.
    std::vector<std::pair<std::string, std::string>> moved;
};

/// Looks for the inputs of `report`, which lies in `file` and is of `job`. A relative path counts
/// from the folder that it counted from when the report was written there, then from the folder of
/// the report, then from that of the process. Of several files the first with the right SHA-256
/// counts, so that a report that was moved with its files takes these.
[[nodiscard]] ReplayedInputs findInputs(const std::filesystem::path& file, const json::Json& report,
                                        const AnyJob& job, const std::stop_token& stop);

/// The settings `job` of a report with the paths that are found elsewhere.
[[nodiscard]] json::Json movedJob(const json::Json& job, const ReplayedInputs& inputs);

} // namespace flcc::job::detail
