#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/match/peaks.h"
#include "engine/method/canonical.h"
#include "engine/method/masked_view.h"
#include "engine/method/outside.h"
#include "engine/rotation/pose_bank.h"

namespace flcc::match {

/// From a pose of a cover to its next ones.
struct PoseSteps {
    double turn = 0;  ///< degrees; 0 where the cover has one turn
    double scale = 1; ///< factor; 1 where the cover has one scale
};

/// The step that the cover states or, of a list, the angle to the nearest other turn; not above 30
/// degrees. **Cost**: that of the list.
[[nodiscard]] PoseSteps stepsAt(const rotation::Cover& cover, const rotation::Pose& pose);

/// The coordinate of a pose that a step changes.
enum class PoseAxis { X, Y, Z, Scale };
/// "about x", "about y", "about z", "scale"; in the plane, where there is one turn, "rotation".
[[nodiscard]] std::string name(PoseAxis axis, bool flat);

/// The coordinates that a search with these steps leaves open.
[[nodiscard]] std::vector<PoseAxis> axesOf(const PoseSteps& steps, bool flat);

/// The pose turned further about an axis of the scene by so many steps, or scaled by so many
/// factors.
[[nodiscard]] rotation::Pose moved(const rotation::Pose& pose, PoseAxis axis, double by,
                                   const PoseSteps& steps);

/// Canonical scores (lcc) of templates in poses that need not be those of their cover. **Threads**:
/// const functions may be called at once.
class PoseScorer {
  public:
    /// `scene` must outlive the scorer. `whole`: only placements whose support lies inside the
    /// scene and its mask have scores; of a scene with a margin, inside `room` (SearchedMap::room).
    PoseScorer(const method::MaskedView& scene, const rotation::PoseBank& bank,
               method::Outside outside, bool whole, const std::optional<base::Box>& room = {})
        : m_scene(scene), m_inner(room ? method::partOf(scene, *room) : scene),
          m_first(room ? room->corner : base::Index{}), m_bank(&bank), m_outside(outside),
          m_whole(whole) {}

    /// The scores of one pose at any placements.
    class Member;
    /// `templ` counts from 0 in the bank. `by`: from the place of the pose's centre at whole voxels
    /// to where it lies, voxels. Empty if no voxel, or no contrast, of the template is left.
    [[nodiscard]] std::optional<Member> member(std::size_t templ, const rotation::Pose& pose,
                                               const base::Point& by = {0, 0, 0}) const;

  private:
    method::MaskedView m_scene;
    method::MaskedView m_inner; ///< without a margin
    base::Index m_first;        ///< of m_inner in the scene
    const rotation::PoseBank* m_bank;
    method::Outside m_outside;
    bool m_whole;
};

class PoseScorer::Member {
  public:
    Member(const PoseScorer& scorer, method::CanonicalTemplate templ, const base::Index& shift)
        : m_scorer(scorer), m_templ(std::move(templ)), m_shift(shift) {}
    /// At the placement with this corner of the box of the bank's members. Empty where there is
    /// none.
    [[nodiscard]] std::optional<double> at(const base::Index& corner) const;

  private:
    PoseScorer m_scorer;
    method::CanonicalTemplate m_templ;
    base::Index m_shift; ///< to the corner of the pose's own box
};

/// With which options findPeaks() finds the peaks that refinePeaks() makes a list of.
struct CandidateOptions {
    /// For a threshold that refined peaks must reach: `minScore` times `likeness`, 50 more peaks,
    /// as their order may change, and 0.2 more of `maxOverlap`.
    PeakOptions peaks;
    /// The same for peaks that lie in the exclusion zone of a higher one, or overlap it, but no
    /// nearer than a quarter of the template's shortest edge: refined, they may be higher. Empty
    /// where such peaks are listed anyway.
    std::optional<PeakOptions> hidden;
    /// The score of a template with itself half a step away along all coordinates and half a voxel
    /// along all axes, 0.5 at least: an object in a pose between those searched has about as large
    /// a share of its refined score.
    double likeness = 1;
};
/// **Cost**: two poses of each of the first templates.
[[nodiscard]] CandidateOptions candidateOptions(const PeakOptions& options,
                                                const std::vector<SearchedMap>& maps);

/// Moves each peak of lcc from the pose of its score to the best one near it: place, angles and
/// scale together by detail::Alignment, as far as the cover has several turns or scales. The list
/// is then made again:
/// - Peak::pose, shift, curvature, error and refinement are set; corner and score stay those of the
///   map. A peak that finds no better pose in reach keeps its pose, and has no refinement if it has
///   no place either.
/// - A peak is listed if its score or its refined score, plus the bound, reaches
///   `options.minScore`.
/// - It is ordered by refined score, else by score; a peak in the exclusion zone of a better one,
/// or
///   above `options.maxOverlap` with it, is removed, as by findPeaks(), with the refined places
///   and poses; at most `options.maxPeaks` stay.
/// Peaks without a pose keep what they have. Peaks are of `maps` as findPeaks() gave them.
/// `hidden`: peaks by CandidateOptions::hidden; those that are not among `peaks` and, divided by
/// `likeness`, reach the refined score of the peaks whose zone they lie in are refined and listed
/// like them. `progress` gets the share that is done. **Errors**: std::bad_alloc. **Cost**:
/// refineMs() a peak.
void refinePeaks(std::vector<Peak>& peaks, const method::MaskedView& scene,
                 const std::vector<SearchedMap>& maps, const PeakOptions& options,
                 base::TilePool& pool, const std::stop_token& stop,
                 const std::function<void(double)>& progress = {}, std::vector<Peak> hidden = {},
                 double likeness = 1);

/// Predicted time of refining one peak of a template of so many voxels on one thread, ms.
[[nodiscard]] double refineMs(std::int64_t voxels, bool flat);

/// Scores along one coordinate about a pose.
struct PoseCurve {
    PoseAxis axis = PoseAxis::Z;
    std::string name; ///< of the axis
    /// Degrees from the pose or, of a scale, the factor itself.
    std::vector<double> at;
    std::vector<std::optional<double>> scores;
};

/// The curves through a pose, a step to both sides of it. `corner`: as PoseScorer::Member::at();
/// `by`: as PoseScorer::member().
/// `most`: the curve goes through no more poses.
[[nodiscard]] std::vector<PoseCurve> poseCurves(const PoseScorer& scorer, std::size_t templ,
                                                const rotation::Pose& pose, const PoseSteps& steps,
                                                bool flat, const base::Index& corner,
                                                const base::Point& by, int most,
                                                const std::stop_token& stop);

} // namespace flcc::match
