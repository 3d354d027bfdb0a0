#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "engine/job/replay.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job::detail {

/// What a comparison found; worse verdicts win.
struct Found {
    Replay::Verdict verdict = Replay::Verdict::Identical;
    std::string sentence;
};

/// Compares the peaks of two reports; names the first that differs.
[[nodiscard]] Found comparePeaks(const json::Json& before, const json::Json& now);

/// Compares the rows of the frames of two reports of a stream.
[[nodiscard]] Found compareFrames(const json::Json& before, const json::Json& now);

/// Compares the map of a report with that of `result`, whose report is `now`: by its digest, else
/// voxel by voxel with the map's file if that is there, else by its statistics.
[[nodiscard]] Found compareMaps(const json::Json& before, const json::Json& now,
                                const JobResult& result, const std::filesystem::path& mapFile,
                                const std::stop_token& stop);

} // namespace flcc::job::detail
