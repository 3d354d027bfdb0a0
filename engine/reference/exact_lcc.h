#pragma once

#include <vector>

#include "engine/base/pixels.h"
#include "engine/method/problem.h"
#include "engine/reference/panel.h"
#include "engine/reference/score.h"
#include "engine/reference/seen_panel.h"

namespace flcc::reference {

/// LCC of integer scenes and templates without a rounding before the last step:
///
///     r(u) = (N sum PT - sum P sum T) / sqrt(N sum P^2 - (sum P)^2) / sqrt(N sum T^2 - (sum T)^2)
///
/// Every sum runs over the template's support and is an exact 128-bit integer, after the first
/// voxel of panel and template was subtracted. Only the last conversions, roots and divisions
/// round: the error is below 2^-50.
/// **Source**: FLCC (3).
class ExactLcc {
  public:
    /// **Errors**: Problem for a template that is constant, has one voxel or does not consist of
    /// integers, and for one whose sums may exceed 128 bits.
    explicit ExactLcc(const method::MaskedView& templ,
                      method::Outside outside = method::Outside::Zero, double minOverlap = 0.5);

    /// The score of the placement whose first voxel lies on `corner`, which may be outside the
    /// scene. Statuses are those of Lcc. **Errors**: Problem when the scene does not consist of
    /// integers, or a sum may exceed 128 bits.
    [[nodiscard]] Score at(const method::MaskedView& scene, const base::Index& corner) const;

    /// Scores of all placements. **Errors**: as at(); Problem when the template is larger than the
    /// scene.
    [[nodiscard]] ScoreMap map(const method::MaskedView& scene,
                               method::Extent extent = method::Extent::Valid) const;

  private:
    template <class T> [[nodiscard]] Score scoreOf(const SeenPanel<T>& seen) const;

    base::Extents m_extents;
    std::vector<base::Index> m_support;
    std::vector<Int128> m_templ; // over the support: differences from its first voxel
    Int128 m_spread = 0;         // largest |difference|
    method::Outside m_outside;
    double m_minOverlap;
};

} // namespace flcc::reference
