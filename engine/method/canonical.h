#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/pixels.h"

namespace flcc::method {

/// A template made ready for scores in double: That of METHODS 2 (zero mean, unit norm).
class CanonicalTemplate {
  public:
    /// **Errors**: Problem for a template that is constant, non-finite or of one voxel.
    explicit CanonicalTemplate(const base::AnyView& templ);

    [[nodiscard]] const base::Image<double>& values() const { return m_values; }
    [[nodiscard]] const base::Extents& extents() const { return m_values.extents(); }

  private:
    base::Image<double> m_values;
};

/// The canonical value (METHODS 2.3) of the placement at `corner`: LCC of one panel in double, two
/// passes, a fixed order of additions, so that every build, thread count and method that asks gets
/// the same bits. 0 when the panel is constant or holds a non-finite voxel.
/// **Source**: FLCC (3). **Cost**: two reads of the panel.
[[nodiscard]] double canonicalScore(const base::AnyView& scene, const CanonicalTemplate& templ,
                                    const base::Index& corner);

/// Bound on the error of canonicalScore for a template of `count` voxels: (2 N + 16) 2^-53.
[[nodiscard]] double canonicalBound(std::int64_t count);

/// Throws the error of an impossible template: constant, one voxel, NaN or Inf (METHODS 2). Called
/// before anything is allocated.
void requireUsableTemplate(const base::AnyView& templ);

} // namespace flcc::method
