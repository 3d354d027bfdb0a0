#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

#include "engine/job/any_job.h"
#include "engine/job/kinds/map_comparison.h"
#include "engine/job/kinds/replayed_inputs.h"
#include "engine/job/kinds/report_comparison.h"

namespace flcc::job::detail {

/// What running the job of a report again gave.
struct Again {
    bool cancelled = false;
    json::Json report; ///< of the second run, with the digests of its maps
    /// The map, if it is compared voxel by voxel where its digest is another one.
    std::optional<OtherMap> map{};
    std::shared_ptr<const void> held{}; ///< keeps the voxels of `map`
    ReplayedInputs inputs{};
};

/// Runs what the job of the report `before`, which was read from `file`, asks, by the candidate
/// that the report chose. No output is in what is asked, so nothing is written; nothing kept is
/// read.
/// **Errors**: Input if an input is missing or changed, each named with what is different; else as
/// runJob(), runConvolve() and runFeatures().
[[nodiscard]] Again runAgain(const std::filesystem::path& file, const json::Json& before,
                             const std::stop_token& stop, JobSink* sink);

/// Compares the report with that of the second run.
[[nodiscard]] Replay compareAgain(const json::Json& before, const Again& done,
                                  const std::stop_token& stop);

} // namespace flcc::job::detail
