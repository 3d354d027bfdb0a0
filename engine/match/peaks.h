#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"
#include "engine/method/reduced_map.h"

namespace flcc::match {

/// One place where a template was found (METHODS 6).
struct Peak {
    double score = 0; ///< canonical value, METHODS 2.3
    double bound = 0; ///< of the score
    base::Status status = base::Status::Ok;
    base::Index corner;             ///< first voxel of the placement, scene voxels; may lie outside
    base::Point centre{0, 0, 0};    ///< corner + (m-1)/2 + sub-voxel shift, scene voxels
    base::Point world{0, 0, 0};     ///< the centre in world units
    base::Point shift{0, 0, 0};     ///< sub-voxel shift, each within half a voxel
    base::Point curvature{0, 0, 0}; ///< second difference of the score along each axis
    int templ = 0;                  ///< number of the template, from 0
    /// score / score of the best other peak outside the exclusion zone, listed or below the
    /// threshold; empty when there is none or its score is not positive.
    std::optional<double> rival;
    double zscore = 0; ///< (score - mean) / standard deviation of all scores of the bank
};

/// What a list of peaks holds.
struct PeakOptions {
    double minScore = 0.5; ///< a peak passes when score + bound reaches it
    std::int64_t maxPeaks = 100;
    /// Euclidean distance of the corners in voxels below which the lower peak goes (at exactly this
    /// distance it stays); empty = auto: its centre lies within half the extent of the higher one's
    /// template on every axis (at exactly half it goes). Of templates of different extents it is
    /// the distance of the centres.
    std::optional<double> minDistance{};
    /// PARTIAL voxels take part.
    bool partialPeaks = false;
    /// Of the problem that the map answers: what lies outside, and how much of it may.
    method::Outside outside = method::Outside::Zero;
    double minOverlap = 0.5;
};

/// Statistics of the voxels that have a value, each counted once; the same whatever part of a map
/// comes first.
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

[[nodiscard]] MapStatistics statisticsOf(const method::ScoreTally& tally);

/// A map and the templates of one extent that it is the best score of.
struct SearchedMap {
    std::vector<method::MaskedView> templates;
    std::vector<int> numbers{0}; ///< Peak::templ of each of them, ascending
    base::View<const float> value;
    base::View<const base::Status> status;
    method::MapFacts facts;
    MapStatistics statistics;     ///< of all scores of all templates
    base::Index firstPlacement{}; ///< the scene voxel of the placement that voxel 0 is
    /// Which of the templates gave each score, from 0; may be without voxels.
    base::View<const std::int32_t> index{};
    /// What came back of the map, instead of `value`, `status` and `index`.
    const method::ReducedMap* reduced = nullptr;
};

/// Finds the peaks of one or several maps of a scene as one list: local maxima of each map, taken
/// with a margin of twice the bound, rescored by method::canonicalScore, ordered by score
/// descending, then z, y, x of the corner, then template ascending; greedy suppression across all
/// maps; a plateau gives one peak, its first voxel in z, y, x; sub-voxel position by a separable
/// parabola through the neighbours' canonical scores, none at the border or beside a voxel without
/// a value.
///
/// The canonical score of a voxel is the largest of the map's templates there, of equal ones that
/// of the earlier template, which gives the peak its number. So every method, tile size and thread
/// count gives the same list (but `zscore`, which is taken from the scores of the run, and
/// `status`, where one method marks LOWCONF and another does not).
///
/// Voxels that are neither OK nor LOWCONF, nor PARTIAL where the options ask for it, never count;
/// of templates with different supports only those count at a voxel that are not PARTIAL there.
/// `geometry` is that of the scene.
///
/// The work has limits, reached by degenerate maps only: a LOWCONF bound counts as 0.05 at most; a
/// plateau is followed for 10 000 voxels; after max(10 000, 4e9 / voxels of all templates)
/// canonical scores of a map the candidates left are taken at the map's value, with the map's bound
/// as theirs.
/// A reduced map gives the list that the whole one gives, where its Reduction had a `minScore` not
/// above that of `options`, and the same `partialPeaks`; those limits aside.
/// **Source**: METHODS 6. **Errors**: CommandLine for options that are NaN or negative, Problem for
/// an unusable template, Internal for a reduced map where needsWholeMap(). **Threads**: one; stops
/// early, with the list empty, on `stop`.
/// **Cost**: one pass over each map and some canonical scores for each peak.
[[nodiscard]] std::vector<Peak> findPeaks(const method::MaskedView& scene,
                                          const std::vector<SearchedMap>& maps,
                                          const base::Geometry& geometry,
                                          const PeakOptions& options, std::stop_token stop = {});

/// True when findPeaks() needs all of the best map of `templates`, those of `problem`: where their
/// supports differ and PARTIAL voxels do not take part, the best score of a voxel may be that of a
/// template which does not count there, so that it excludes no neighbour.
[[nodiscard]] bool needsWholeMap(const method::Problem& problem,
                                 const std::vector<method::MaskedView>& templates,
                                 bool partialPeaks);

} // namespace flcc::match
