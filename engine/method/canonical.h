#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/pixels.h"
#include "engine/method/masked_view.h"
#include "engine/method/problem.h"

namespace flcc::method {

/// A template made ready for scores in double: That of METHODS 2 (zero mean, unit norm, 0 outside
/// its support), within shared::kTemplateError.
class CanonicalTemplate {
  public:
    /// **Errors**: as requireUsableTemplate().
    explicit CanonicalTemplate(const MaskedView& templ);

    [[nodiscard]] const base::Image<double>& values() const { return m_values; }
    [[nodiscard]] const base::Extents& extents() const { return m_values.extents(); }
    /// 1 on the support, 0 elsewhere; without voxels when all of the box counts.
    [[nodiscard]] const base::Image<std::uint8_t>& support() const { return m_support; }
    /// N, the voxels of the support.
    [[nodiscard]] std::int64_t count() const { return m_count; }

  private:
    base::Image<double> m_values;
    base::Image<std::uint8_t> m_support;
    std::int64_t m_count = 0;
};

/// The canonical value (METHODS 2.3) of the placement at `corner`: LCC of one panel in double, two
/// passes, a fixed order of additions, so that every build, thread count and method that asks gets
/// the same bits. 0 when the panel is FLAT or holds a non-finite voxel. A panel that leaves the
/// scene or its mask has the value that `outside` gives it (METHODS 2.0).
/// **Source**: FLCC (3). **Cost**: two reads of the panel.
[[nodiscard]] double canonicalScore(const MaskedView& scene, const CanonicalTemplate& templ,
                                    const base::Index& corner, Outside outside = Outside::Zero);

/// A canonical value and the bound on its error.
struct CanonicalValue {
    double score = 0;
    double bound = 0;
    /// False: FLAT, also as the template is constant on an overlap, not finite, or nothing of the
    /// support inside; score is 0.
    bool scored = true;
};

/// What canonicalValue() adds to its bound for an overlap whose score was accepted: the template's
/// variance V is then at least 40 2^-53, and 16 2^-53 sqrt(1 / V) is below this.
inline constexpr double kOverlapBound = 2.7e-8;

/// canonicalScore() with its bound: canonicalBound(N), to which an overlap whose part of the
/// template has the variance V and the sum of squares t2 adds 16 2^-53 sqrt(t2 / V), as the
/// template's values were rounded before their mean over the overlap is subtracted.
[[nodiscard]] CanonicalValue canonicalValue(const MaskedView& scene, const CanonicalTemplate& templ,
                                            const base::Index& corner, Outside outside);

/// True when every voxel of the support lies in the scene and its mask: the panel is not PARTIAL.
[[nodiscard]] bool isWhole(const MaskedView& scene, const CanonicalTemplate& templ,
                           const base::Index& corner);

/// Bound on the error of canonicalScore for a template of `count` voxels: (2 N + 16) 2^-53.
[[nodiscard]] double canonicalBound(std::int64_t count);

/// Throws the error of an impossible template: constant, one voxel or none, NaN or Inf under its
/// mask (METHODS 2), or a mask of other extents. Called before anything is allocated.
void requireUsableTemplate(const MaskedView& templ);

} // namespace flcc::method
