#pragma once

#include <vector>

#include "engine/base/pixels.h"
#include "engine/reference/score.h"

namespace flcc::reference {

/// LCC by its definition, panel by panel: the judge of every faster way.
///
///     r(u) = sum (P - mu_P)(T - mu_T) / (||P - mu_P|| ||T - mu_T||)
///
/// In double, two passes over the pixels of any type, no transform, no running sum, one thread.
/// FLAT and NONFINITE are decided on the stored pixels and score 0.
/// **Source**: FLCC (3). **Cost**: three reads of the panel for each placement.
class Lcc {
  public:
    /// **Errors**: Problem for a template that is constant, non-finite or of one voxel.
    explicit Lcc(const base::AnyView& templ);

    /// The placement whose first voxel lies on `corner`. **Errors**: Problem when it leaves the
    /// scene.
    [[nodiscard]] Score at(const base::AnyView& scene, const base::Index& corner) const;

    /// Every placement. **Errors**: Problem when the template is larger than the scene.
    [[nodiscard]] ScoreMap map(const base::AnyView& scene) const;

  private:
    base::Extents m_extents;
    std::vector<double> m_templ; // zero mean, unit norm
};

} // namespace flcc::reference
