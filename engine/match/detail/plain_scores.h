#pragma once

#include <optional>

#include "engine/base/image.h"
#include "engine/method/canonical.h"
#include "engine/method/masked_view.h"

namespace flcc::match::detail {

/// Scores of a template where its whole box lies inside a scene without a mask, faster than
/// canonicalValue() and off by some 1e-12. The same bits on every processor. The template must
/// outlive it. **Threads**: any number may ask.
class PlainScores {
  public:
    explicit PlainScores(const method::CanonicalTemplate& templ);

    /// Empty where canonicalValue() decides.
    [[nodiscard]] std::optional<double> at(const method::MaskedView& scene,
                                           const base::Index& corner) const;

  private:
    const method::CanonicalTemplate& m_templ;
    base::Image<double> m_counts;
};

} // namespace flcc::match::detail
