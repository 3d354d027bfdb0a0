#pragma once

#include <filesystem>
#include <stop_token>

#include "engine/base/pixels.h"
#include "engine/job/kinds/report_comparison.h"

namespace flcc::job::detail {

/// A map that was computed again, whose bits are not those that the report has the digest of.
struct OtherMap {
    base::AnyView values;
    std::filesystem::path file; ///< where the first run wrote its map; may be empty
    double bound = 0;           ///< on the difference of any two scores
    bool sameStatistics = false;
};

/// Compares it voxel by voxel with the map's file if that is there. A digest is wrong, so that the
/// results differ, where the file or the statistics are those of the map that was computed again.
[[nodiscard]] Found compareMaps(const OtherMap& map, const std::stop_token& stop);

} // namespace flcc::job::detail
