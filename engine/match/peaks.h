#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"

namespace flcc::match {

/// One place where the template was found (METHODS 6).
struct Peak {
    double score = 0; ///< canonical value, METHODS 2.3
    double bound = 0; ///< of the score
    base::Status status = base::Status::Ok;
    base::Index corner;             ///< first voxel of the placement, scene voxels; may lie outside
    base::Point centre{0, 0, 0};    ///< corner + (m-1)/2 + sub-voxel shift, scene voxels
    base::Point world{0, 0, 0};     ///< the centre in world units
    base::Point shift{0, 0, 0};     ///< sub-voxel shift, each within half a voxel
    base::Point curvature{0, 0, 0}; ///< second difference of the score along each axis
    int templ = 0;                  ///< index of the template
    /// score / score of the best other peak outside the exclusion zone, listed or below the
    /// threshold; empty when there is none or its score is not positive.
    std::optional<double> rival;
    double zscore = 0; ///< (score - mean of the map) / standard deviation of the map
};

/// What a list of peaks holds.
struct PeakOptions {
    double minScore = 0.5; ///< a peak passes when score + bound reaches it
    std::int64_t maxPeaks = 100;
    /// Euclidean distance of the corners in voxels below which the lower peak goes (at exactly this
    /// distance it stays); empty = auto: its centre lies within half the template's extent of the
    /// higher one on every axis (at exactly half it goes).
    std::optional<double> minDistance{};
    /// PARTIAL voxels take part.
    bool partialPeaks = false;
    /// Of the problem that the map answers: the placement of its voxel 0, what lies outside.
    base::Index firstPlacement{};
    method::Outside outside = method::Outside::Zero;
};

/// Statistics of the voxels that have a value, each counted once.
struct MapStatistics {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double standardDeviation = 0;
    std::int64_t count = 0;
};

/// Stopped, which is looked for in every row, it returns what means nothing.
[[nodiscard]] MapStatistics mapStatistics(const base::View<const float>& value,
                                          const base::View<const base::Status>& status,
                                          const std::stop_token& stop = {});

/// Finds the peaks of a map: local maxima taken with a margin of twice the bound, rescored by
/// method::canonicalScore, ordered by score descending, then z, y, x ascending; greedy suppression;
/// a plateau gives one peak, its first voxel in z, y, x; sub-voxel position by a separable parabola
/// through the neighbours' canonical scores, none at the border or beside a voxel without a value.
/// Every method, tile size and thread count gives the same list (but `zscore`, which is taken from
/// the map, and `status`, where one method marks LOWCONF and another does not).
///
/// Voxels that are not OK or LOWCONF, or PARTIAL where the options ask for it, never count.
/// `statistics` are those of the map, `geometry` is that of the scene.
///
/// The work has limits, reached by degenerate maps only: a LOWCONF bound counts as 0.05 at most; a
/// plateau is followed for 10 000 voxels; after max(10 000, 4e9 / template voxels) canonical scores
/// the candidates left are taken at the map's value, with the map's bound as theirs.
/// **Source**: METHODS 6. **Errors**: CommandLine for options that are NaN or negative, Problem for
/// an unusable template. **Threads**: one; stops early, with the list empty, on `stop`.
/// **Cost**: one pass over the map and some canonical scores for each peak.
[[nodiscard]] std::vector<Peak>
findPeaks(const method::MaskedView& scene, const method::MaskedView& templ,
          const base::View<const float>& value, const base::View<const base::Status>& status,
          const method::MapFacts& facts, const MapStatistics& statistics,
          const base::Geometry& geometry, const PeakOptions& options, std::stop_token stop = {});

} // namespace flcc::match
