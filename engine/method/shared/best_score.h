#pragma once

#include <cstdint>

#include "engine/base/host_device.h"

namespace flcc::method::shared {

/// True when `score` of template `templ` replaces `best`, the best score so far, of template
/// `index`. An `index` below 0 says that there is no score yet. Of equal scores, the one of the
/// template with the lower number wins, so the order of the comparisons does not matter.
template <class Real>
[[nodiscard]] FLCC_HOST_DEVICE constexpr bool isBetter(Real score, std::int32_t templ, Real best,
                                                       std::int32_t index) {
    return index < 0 || score > best || (score == best && templ < index);
}

} // namespace flcc::method::shared
