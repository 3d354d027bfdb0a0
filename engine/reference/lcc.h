#pragma once

#include <vector>

#include "engine/base/pixels.h"
#include "engine/method/problem.h"
#include "engine/reference/score.h"
#include "engine/reference/seen_panel.h"

namespace flcc::reference {

/// LCC by its definition, panel by panel. Tests and the self-audit compare every faster method with
/// it.
///
///     r(u) = sum (P - mu_P)(T - mu_T) / (||P - mu_P|| ||T - mu_T||)
///
/// The sums run over the voxels under the template's mask; with weights w, each term of a sum
/// counts w times, those of the means too. Computed in double, in two passes over
/// pixels of any type, without transforms or running sums, on one thread. FLAT, NONFINITE and
/// NOT_COMPUTED are decided on the stored pixels and score 0. A panel that leaves the scene or its
/// mask is PARTIAL; `engine/method/NUMERICS.md`, section 1 ("Panels that leave the scene or its
/// mask"), defines how voxels outside count.
/// **Source**: FLCC (3). **Cost**: three reads of the panel for each placement.
class Lcc {
  public:
    /// **Errors**: Problem for a template that is constant, not finite or has one voxel.
    explicit Lcc(const method::MaskedView& templ, method::Outside outside = method::Outside::Zero,
                 double minOverlap = 0.5);

    /// The score of the placement whose first voxel lies on `corner`, which may be outside the
    /// scene.
    [[nodiscard]] Score at(const method::MaskedView& scene, const base::Index& corner) const;

    /// The status of at() alone, at half the cost.
    [[nodiscard]] base::Status statusAt(const method::MaskedView& scene,
                                        const base::Index& corner) const;

    /// Scores of all placements. **Errors**: Problem when the template is larger than the scene.
    [[nodiscard]] ScoreMap map(const method::MaskedView& scene,
                               method::Extent extent = method::Extent::Valid) const;

  private:
    template <class T> [[nodiscard]] base::Status fullStatusOf(const SeenPanel<T>& panel) const;
    template <class T> [[nodiscard]] Score scoreOf(const SeenPanel<T>& panel) const;

    base::Extents m_extents;
    std::vector<base::Index> m_support;
    bool m_weighted = false;
    std::vector<double> m_weights;     // over the support; 1 without weights
    std::vector<double> m_templ;       // over the support: zero mean, unit norm, both weighted
    std::vector<std::int64_t> m_ranks; // over the support: equal where stored values are equal
    method::Outside m_outside;
    double m_minOverlap;
};

} // namespace flcc::reference
