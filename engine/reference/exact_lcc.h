#pragma once

#include <vector>

#include "engine/base/pixels.h"
#include "engine/reference/panel.h"
#include "engine/reference/score.h"

namespace flcc::reference {

/// LCC of integer scenes and templates without a rounding before the last step:
///
///     r(u) = (N sum PT - sum P sum T) / sqrt(N sum P^2 - (sum P)^2) / sqrt(N sum T^2 - (sum T)^2)
///
/// with every sum an exact integer of 128 bits, after subtracting the first voxel of the panel and
/// of the template. One conversion, root and division each at the end: the error is below 2^-50.
/// **Source**: FLCC (3).
class ExactLcc {
  public:
    /// **Errors**: Problem for a template that is constant, of one voxel or not of integers, and
    /// for one whose sums may leave 128 bits.
    explicit ExactLcc(const base::AnyView& templ);

    /// The placement whose first voxel lies on `corner`. **Errors**: Problem when it leaves the
    /// scene, the scene is not of integers, or a sum may leave 128 bits.
    [[nodiscard]] Score at(const base::AnyView& scene, const base::Index& corner) const;

    /// Every placement. **Errors**: as at(); Problem when the template is larger than the scene.
    [[nodiscard]] ScoreMap map(const base::AnyView& scene) const;

  private:
    base::Extents m_extents;
    std::vector<Int128> m_templ; // differences from the first voxel
    Int128 m_sum = 0;
    Int128 m_spread = 0;   // largest |difference|
    Int128 m_variance = 0; // N sum T^2 - (sum T)^2
};

} // namespace flcc::reference
