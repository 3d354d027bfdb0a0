#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/base/pixels.h"
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

/// Compares rows whose values have no bounds, such as blobs: any other value counts. `word`: what a
/// row is, such as "blob".
[[nodiscard]] Found compareRows(const std::string& word, const json::Json& before,
                                const json::Json& now);

/// A map that was computed again.
struct MapAgain {
    base::AnyView values;
    std::string digest;         ///< of its bytes, as the report states it
    std::filesystem::path file; ///< where the first run wrote its map; may be empty
};

/// Compares the map of a report with that of a second run, whose report is `now`: by its digest,
/// else voxel by voxel with the map's file if that is there, else by its statistics. `again`: empty
/// where there are statistics only.
[[nodiscard]] Found compareMaps(const json::Json& before, const json::Json& now,
                                const std::optional<MapAgain>& again, const std::stop_token& stop);

/// Compares the statistics of convolved frames within their bounds.
[[nodiscard]] Found compareConvolvedFrames(const json::Json& before, const json::Json& now);

/// Compares two digests of a map of features, which has no bound. `name`: such as "strength".
[[nodiscard]] Found compareDigests(const std::string& name, const json::Json& before,
                                   const json::Json& now);

} // namespace flcc::job::detail
