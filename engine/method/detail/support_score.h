#pragma once

#include "engine/method/canonical.h"

namespace flcc::method::detail {

/// canonicalValue() of any panel: under a mask, partly outside the scene or its mask.
[[nodiscard]] CanonicalValue supportValue(const MaskedView& scene, const CanonicalTemplate& templ,
                                          const base::Index& corner, Outside outside);

/// True when the panel lies in the scene and all of its voxels count.
[[nodiscard]] bool isWholeBox(const MaskedView& scene, const CanonicalTemplate& templ,
                              const base::Index& corner);

} // namespace flcc::method::detail
