#pragma once

#include "engine/method/canonical.h"

namespace flcc::method::detail {

/// canonicalValue() of a panel that may have a masked support or lie partly outside the scene or
/// its mask. Slower than the path for whole boxes.
[[nodiscard]] CanonicalValue supportValue(const MaskedView& scene, const CanonicalTemplate& templ,
                                          const base::Index& corner, Outside outside);

/// True when the template has no mask and the whole panel lies inside the scene and its mask.
[[nodiscard]] bool isWholeBox(const MaskedView& scene, const CanonicalTemplate& templ,
                              const base::Index& corner);

} // namespace flcc::method::detail
