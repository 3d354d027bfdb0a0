#pragma once

#include <optional>
#include <vector>

#include "engine/method/operation.h"
#include "engine/reference/lcc.h"
#include "engine/reference/score.h"
#include "engine/reference/seen_panel.h"

namespace flcc::reference {

/// Every operation of a match by its definition, panel by panel: lcc by Lcc, in double, the others
/// in long double:
///
///     correlation  sum P T                    cosine  sum P T / sqrt(sum P^2 sum T^2)
///     covariance   sum (P - p)(T - t)         nssd    sum (P - T)^2 / sqrt(sum P^2 sum T^2)
///     ssd          sum (P - T)^2              sad     sum |P - T|
///
/// P the panel and T the template with means p and t, over the voxels under the template's mask.
/// Under weights w each term counts w times, in means too: sum w (P - T)^2, p = sum w P / sum w.
/// Voxels outside count as 0 or, with Outside::Overlap, not at all. Sums of integers of up to 16
/// bits are exact. A panel whose normalised value would be a division by 0 is FLAT.
/// **Source**: Gholami (2.1), (2.2). **Cost**: several reads of the panel.
class MatchOperation {
  public:
    MatchOperation(method::Operation operation, const method::MaskedView& templ,
                   method::Outside outside = method::Outside::Zero, double minOverlap = 0.5);

    /// The value of the placement whose first voxel lies on `corner`.
    [[nodiscard]] Score at(const method::MaskedView& scene, const base::Index& corner) const;
    /// Bound on the error of at().
    [[nodiscard]] double errorAt(const method::MaskedView& scene, const base::Index& corner) const;

    /// What a bound at() is compared with, times the promise (method::OperationValue::scale).
    [[nodiscard]] double scaleAt(const method::MaskedView& scene, const base::Index& corner) const;

    [[nodiscard]] ScoreMap map(const method::MaskedView& scene, method::Extent extent) const;

  private:
    struct Pairs;
    [[nodiscard]] Pairs pairsAt(const method::MaskedView& scene, const base::Index& corner) const;

    method::Operation m_operation;
    std::optional<Lcc> m_lcc; ///< the definition of lcc, which has the next members of its own
    base::Extents m_extents;
    std::vector<base::Index> m_support;
    std::vector<long double> m_templ;
    std::vector<long double> m_weights; ///< of a mask; 1 without them
    method::Outside m_outside;
    double m_minOverlap;
};

} // namespace flcc::reference
