#pragma once

#include <cstddef>
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
    /// scene and its mask have scores.
    PoseScorer(const method::MaskedView& scene, const rotation::PoseBank& bank,
               method::Outside outside, bool whole)
        : m_scene(scene), m_bank(&bank), m_outside(outside), m_whole(whole) {}

    /// The scores of one pose at any placements.
    class Member;
    /// `templ` counts from 0 in the bank. Empty if no voxel, or no contrast, of the template is
    /// left.
    [[nodiscard]] std::optional<Member> member(std::size_t templ, const rotation::Pose& pose) const;

  private:
    method::MaskedView m_scene;
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

/// Moves each peak of lcc from its pose to the best one near it: from half a step down to a
/// sixteenth of one, to the vertex of a parabola along each coordinate where that is better, each
/// time with the best place beside, between voxels. Sets Peak::pose, shift, curvature and
/// refinement; corner and score stay those of the map. Peaks without a pose stay. Peaks are of
/// `maps` as findPeaks() gave them.
/// **Errors**: std::bad_alloc. **Cost**: about 15 poses of one peak in the plane, 50 in space, and
/// 5 or 7 canonical scores of each.
void refinePeaks(std::vector<Peak>& peaks, const method::MaskedView& scene,
                 const std::vector<SearchedMap>& maps, const PeakOptions& options,
                 base::TilePool& pool, const std::stop_token& stop);

/// Scores along one coordinate about a pose.
struct PoseCurve {
    PoseAxis axis = PoseAxis::Z;
    std::string name; ///< of the axis
    /// Degrees from the pose or, of a scale, the factor itself.
    std::vector<double> at;
    std::vector<std::optional<double>> scores;
};

/// The curves through a pose, a step to both sides of it. `corner`: as PoseScorer::Member::at().
/// `most`: the curve goes through no more poses.
[[nodiscard]] std::vector<PoseCurve> poseCurves(const PoseScorer& scorer, std::size_t templ,
                                                const rotation::Pose& pose, const PoseSteps& steps,
                                                bool flat, const base::Index& corner, int most,
                                                const std::stop_token& stop);

} // namespace flcc::match
