#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/method/match_map.h"

namespace flcc::match {

/// One place where the template was found (METHODS 6).
struct Peak {
    double score = 0; ///< canonical value, METHODS 2.3
    double bound = 0; ///< of the score
    base::Status status = base::Status::Ok;
    base::Index corner;             ///< first voxel of the placement, scene voxels
    base::Point centre{0, 0, 0};    ///< corner + (m-1)/2 + sub-voxel shift, scene voxels
    base::Point world{0, 0, 0};     ///< the centre in world units
    base::Point shift{0, 0, 0};     ///< sub-voxel shift, each within half a voxel
    base::Point curvature{0, 0, 0}; ///< second difference of the score along each axis
    int templ = 0;                  ///< index of the template
    std::optional<double> rival;    ///< score / best score outside the exclusion zone
    double zscore = 0;              ///< (score - mean of the map) / standard deviation of the map
};

/// What a list of peaks holds.
struct PeakOptions {
    double minScore = 0.5;
    std::int64_t maxPeaks = 100;
    /// Euclidean distance in voxels below which the lower peak goes; empty = auto: its centre lies
    /// within half the template's extent of the higher one on every axis.
    std::optional<double> minDistance;
};

/// Statistics of the voxels that have a value, each counted once.
struct MapStatistics {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double standardDeviation = 0;
    std::int64_t count = 0;
};

[[nodiscard]] MapStatistics mapStatistics(const base::View<const float>& value,
                                          const base::View<const base::Status>& status);

/// Finds the peaks of a map: local maxima taken with a margin of twice the bound, rescored by
/// method::canonicalScore, ordered by score descending, then z, y, x ascending; greedy suppression;
/// a plateau gives one peak; sub-voxel position by a separable parabola.
/// Every method, tile size and thread count gives the same list. Voxels that are not OK, PARTIAL
/// or LOWCONF never count. `geometry` is that of the scene.
/// **Source**: METHODS 6. **Threads**: one; stops early, with the list empty, on `stop`.
[[nodiscard]] std::vector<Peak> findPeaks(const base::AnyView& scene, const base::AnyView& templ,
                                          const base::View<const float>& value,
                                          const base::View<const base::Status>& status,
                                          const method::MapFacts& facts,
                                          const base::Geometry& geometry,
                                          const PeakOptions& options, std::stop_token stop = {});

} // namespace flcc::match
