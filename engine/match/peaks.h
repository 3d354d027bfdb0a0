#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/match/place.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"
#include "engine/method/reduced_map.h"
#include "engine/rotation/pose_bank.h"

namespace flcc::match {

/// What all members of a search scored at the place of a peak.
struct PeakSearch {
    double mean = 0;
    double deviation = 0; ///< standard deviation of these scores
    double z = 0;         ///< (best score - mean) / deviation; 0 where deviation is 0
};

/// How a peak was moved from the pose that was searched to one between those of the cover
/// (refine.h).
struct Refinement {
    rotation::Pose searched; ///< the pose of Peak::score
    /// The canonical score of the template in Peak::pose with its centre at Peak::centre.
    double score = 0;
    /// Standard errors, as Peak::error: degrees about the axes of the scene, and of the scale; 0 of
    /// what was not refined.
    base::Point turnError{0, 0, 0};
    double scaleError = 0;
    bool scaleEnds = false; ///< it ends at the least or largest scale that was searched
};

/// The better listed peak that a peak overlaps most: whose support has the largest share of common
/// voxels (Overlaps).
struct PeakOverlap {
    double share = 0;   ///< above 0
    base::Index corner; ///< Peak::corner and Peak::templ of the better peak
    int templ = 0;
};

/// One place where a template was found. `engine/method/NUMERICS.md`, section 8, defines its score.
struct Peak {
    double score = 0; ///< canonical score; of another operation than lcc, its canonical value
    double bound = 0; ///< bound on the error of the score
    base::Status status = base::Status::Ok;
    base::Index corner; ///< scene voxel under the first template voxel; may lie outside the scene
    base::Point centre{0, 0, 0}; ///< corner + (m-1)/2 + sub-voxel shift, scene voxels
    base::Point world{0, 0, 0};  ///< the centre in world units
    /// Shift between voxels (place.h), each within a voxel, and half a voxel where a pose lies so
    /// in the box (rotation::PoseBank::centreOf); of a refined peak from the corner to its best
    /// place, which may be some voxels away.
    base::Point shift{0, 0, 0};
    std::optional<base::Point> error{}; ///< standard error of the centre, voxels (Place::error)
    PlacedBy placedBy = PlacedBy::Voxel;
    base::Point curvature{0, 0, 0}; ///< second difference of the score along each axis
    int templ = 0;                  ///< number of the template, from 0
    /// How the template lies there, of a search over poses: as searched, or refined.
    std::optional<rotation::Pose> pose{};
    std::optional<Refinement> refinement{}; ///< empty where the pose was not refined
    /// Of a search for both signs: the score is that of minus the template.
    std::optional<bool> dark{};
    /// score / score of the best other peak outside the exclusion zone, listed or below the
    /// threshold; empty when there is none, its score is not positive, or the smallest is best.
    std::optional<double> rival;
    /// (score - mean) / standard deviation over all scores of the bank. Empty where the scores may
    /// all be equal: the deviation is not above what errors of the scores and rounding can make.
    std::optional<double> zscore;
    /// Peaks with at least this score that a search of a scene without the template would list
    /// (score_law.h). Empty where the scores have no law, and of operations other than lcc.
    std::optional<double> falsePositives{};
    /// Of a peak on the support of a better one (setOverlaps). Its false positives count peaks of
    /// noise; that the slope of the better peak's scores lifts this one is not in the number.
    std::optional<PeakOverlap> overlap{};
    /// Height of the score above its surroundings in the map (sharpness.h); empty where no whole
    /// map is there.
    std::optional<double> sharpness{};
    /// Of a search with statistics (search_statistics.h); empty without scores of 2 members.
    std::optional<PeakSearch> search{};
    /// The template is an average that a box at this place went into: the score is too high, since
    /// the template holds the place's own noise.
    bool madeOf = false;
};

/// Which peaks a list holds.
struct PeakOptions {
    /// A peak is listed if score + bound reaches this value. Where the smallest value is best, the
    /// sign of both is changed: minScore is minus the largest value that a peak may have.
    double minScore = 0.5;
    /// Of each map, in place of minScore; empty: minScore of all.
    std::vector<double> minScores{};
    /// What a score of a map, of this number, is worth beside those of the other maps; rises with
    /// the score. Peaks of several maps are ordered by it. Empty: the score.
    std::function<double(std::size_t map, double score)> worth{};
    std::int64_t maxPeaks = 100;
    /// Minimum Euclidean distance, in the unit of `edges`, between the corners of two peaks; the
    /// lower one of two nearer peaks is removed (at exactly this distance both stay). Templates of
    /// different extents: distance of the centres. Empty = auto: the lower peak is removed if its
    /// centre lies within half the extent of the higher peak's template on every axis (at exactly
    /// half it is removed).
    std::optional<double> minDistance{};
    base::Point edges{1, 1, 1}; ///< of a voxel; the shortest is 1 (base::voxelEdges)
    /// A peak is listed only if its support has at most this share in common (Overlaps) with the
    /// support of every better listed peak. Empty: any.
    std::optional<double> maxOverlap{};
    /// PARTIAL voxels may be peaks.
    bool partialPeaks = false;
    /// Copied from the problem of the map: the value of voxels outside the scene, and the least
    /// share of the support inside.
    method::Outside outside = method::Outside::Zero;
    double minOverlap = 0.5;

    [[nodiscard]] double minScoreOf(std::size_t map) const {
        return map < minScores.size() ? minScores[map] : minScore;
    }
    [[nodiscard]] double worthOf(std::size_t map, double score) const {
        return worth ? worth(map, score) : score;
    }
};

/// Statistics of the voxels that have a value. The result does not depend on the order in which
/// parts of a map are added.
struct MapStatistics {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double standardDeviation = 0;
    std::int64_t count = 0;
    /// Bound on the standardDeviation that rounding alone gives to equal scores.
    double roundingDeviation = 0;
};

/// The least and the largest value of a map, of any operation; empty without a value.
[[nodiscard]] std::optional<std::pair<double, double>>
valueRange(const base::View<const float>& value, const base::View<const base::Status>& status);

/// Checks `stop` in every row. If cancelled, the result is unspecified. For doubles of any range
/// the sums are in double, in the order z, y, x, or in long double where squares would leave its
/// range.
[[nodiscard]] MapStatistics mapStatistics(const base::View<const double>& value,
                                          const base::View<const base::Status>& status,
                                          const std::stop_token& stop = {});
/// Of scores from -1 to 1.
[[nodiscard]] MapStatistics mapStatistics(const base::View<const float>& value,
                                          const base::View<const base::Status>& status,
                                          const std::stop_token& stop = {});

[[nodiscard]] MapStatistics statisticsOf(const method::ScoreTally& tally);

/// `best`, the statistics of the best map of a bank, with count, mean and deviation of all scores
/// of the bank; unchanged where `scores` holds none.
[[nodiscard]] MapStatistics bankStatistics(MapStatistics best, const method::ScoreSums& scores);

/// The maps of search_statistics.h; without voxels where nobody asked for them.
struct SearchViews {
    base::View<const float> mean{};
    base::View<const float> deviation{};
    base::View<const float> z{};
};

/// A map that holds the best score of several templates of one extent.
struct SearchedMap {
    std::vector<method::MaskedView> templates; ///< empty with `poses`
    std::vector<int> numbers{0};               ///< Peak::templ of each template
    base::View<const float> value;
    base::View<const base::Status> status;
    method::MapFacts facts;
    MapStatistics statistics;     ///< over all scores of all templates
    base::Index firstPlacement{}; ///< placement, in scene voxels, of voxel 0 of the map
    /// For each voxel, the template that gave the score, counted from 0; may be empty.
    base::View<const std::int32_t> index{};
    /// The voxels of the map that a GPU copied back, instead of `value`, `status` and `index`.
    const method::ReducedMap* reduced = nullptr;
    method::Operation operation{};
    /// The values of an operation other than lcc in double; without voxels after a run in single.
    base::View<const double> exact{};
    /// Of a search over poses: the members of the bank, which `index` names. Else null.
    std::shared_ptr<const rotation::PoseBank> poses{};
    std::optional<std::size_t> darkFrom{}; ///< from this template on they have the other sign
    /// The part of the scene in which whole placements lie, where it has a margin; empty: all.
    std::optional<base::Box> room{};
    SearchViews search{};
};

/// The best value of a map and the placements that reach it.
struct BestPlaces {
    double value = 0;
    /// Values of whole numbers are exact and equal; of others, those within `tolerance` of the
    /// best.
    std::int64_t occurrences = 0;
    double tolerance = 0;
};

/// Statistics of the values of an operation other than lcc.
[[nodiscard]] MapStatistics valueStatistics(const SearchedMap& map,
                                            const std::stop_token& stop = {});

/// The best value of an operation other than lcc; empty if no voxel has a value. Of a map of floats
/// it is a canonical value, and so are those that are compared with it, unless there are too many.
/// Reads valueStatistics() from the map.
[[nodiscard]] std::optional<BestPlaces> bestOf(const method::MaskedView& scene,
                                               const SearchedMap& map, const PeakOptions& options,
                                               const std::stop_token& stop = {});

/// Finds the peaks of one or several maps of a scene and returns them as one list.
/// - Candidates are the local maxima of each map, taken with a margin of twice the bound on the
///   error.
/// - Each candidate gets its canonical score (method::canonicalScore). At one voxel this is the
///   largest canonical score of the map's templates. If several templates have it, the first one
///   gives the peak its number.
/// - The list is ordered by score (descending) or by `options.worth` of it, then by z, y, x of the
///   corner, then by template (ascending).
/// - Suppression is greedy and works across all maps.
/// - A plateau gives one peak: its first voxel in the order z, y, x.
/// - The place between voxels comes from placeOf(). There is none along an axis at the border of
///   the map or beside a voxel without a value.
/// - A peak that `options.maxOverlap` leaves out suppresses nothing.
/// Of a search over poses the canonical score of a voxel is that of the member which the index
/// names: too many others would have to be compared. A peak suppresses what lies within half the
/// extents of its template as it is turned there. `corner` of such a peak is that of the box of the
/// members.
/// So every method, tile size and number of threads gives the same list, with two exceptions (and a
/// third one with poses: of members whose scores are equal within their bounds, the run decides):
/// `zscore` uses the scores of the run, and `status` is LOWCONF with some methods only.
/// OK and LOWCONF voxels can be peaks, PARTIAL voxels only if `options.partialPeaks` is set. Where
/// templates have different supports, a template that is PARTIAL at a voxel counts there only if
/// `options.partialPeaks` is set. `geometry` is the geometry of the scene.
/// LOWCONF voxels are candidates within their bound, at most 2: their scores never decide.
/// Limits of the work, which only degenerate maps reach: a plateau is followed for 10 000 voxels;
/// after max(10 000, 4e9 / voxels of all templates) canonical scores of a map, the remaining
/// candidates use the map's value and bound; if more LOWCONF voxels than that, or than a million,
/// have bounds of up to more than 0.05, they count as candidates within 0.05. The last two can make
/// the list depend on the method: then `incomplete`, if given, gets the reason; else it is emptied.
/// A reduced map gives the same list as the whole map, except for these limits, if its Reduction
/// had the same `partialPeaks` and a `minScore` not above `options.minScore`.
/// **Errors**: CommandLine for options that are NaN or negative; Problem for an unusable template;
/// Internal for a reduced map where needsWholeMap() is true. **Threads**: runs on the calling
/// thread; `progress`, if given, gets the share that is done. If cancelled, the list is empty.
/// **Cost**: one pass over each map and some canonical scores for each peak.
[[nodiscard]] std::vector<Peak>
findPeaks(const method::MaskedView& scene, const std::vector<SearchedMap>& maps,
          const base::Geometry& geometry, const PeakOptions& options, std::stop_token stop = {},
          std::string* incomplete = nullptr, const std::function<void(double)>& progress = {});

/// The number of the map whose template gave a peak; that of all maps where none did.
[[nodiscard]] inline std::size_t mapNumberOf(const std::vector<SearchedMap>& maps,
                                             const Peak& peak) {
    const auto map = std::find_if(maps.begin(), maps.end(), [&](const SearchedMap& each) {
        return std::find(each.numbers.begin(), each.numbers.end(), peak.templ) !=
               each.numbers.end();
    });
    return static_cast<std::size_t>(map - maps.begin());
}

/// True if findPeaks() needs the whole best map of `templates`, which belong to `problem`. That is
/// so where supports differ and PARTIAL voxels may not be peaks: the best score of a voxel may
/// belong to a template that does not count there, so that it excludes no neighbour.
[[nodiscard]] bool needsWholeMap(const method::Problem& problem,
                                 const std::vector<method::MaskedView>& templates,
                                 bool partialPeaks);

/// Sets Peak::sharpness of the peaks that findPeaks() found in `maps`: the white top-hat of the map
/// at the corner, score - max over neighbours q of (min over neighbours r of q of the score at r),
/// where a voxel and the next ones along each axis are neighbours. A narrow maximum has its
/// height above its surroundings, a plateau of 3 voxels or more along each axis has 0. Voxels
/// without a value do not count. Empty for a reduced map. **Cost**: 49 voxels a peak.
void setSharpness(std::vector<Peak>& peaks, const std::vector<SearchedMap>& maps);

} // namespace flcc::match
