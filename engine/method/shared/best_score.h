#pragma once

#include <cstdint>

#include "engine/base/host_device.h"

namespace flcc::method::shared {

/// Whether a score of template `templ` takes the place of the best one so far, that of template
/// `index`; below 0 there is none. Of equal ones that of the earlier template stays.
template <class Real>
[[nodiscard]] FLCC_HOST_DEVICE constexpr bool isBetter(Real score, std::int32_t templ, Real best,
                                                       std::int32_t index) {
    return index < 0 || score > best || (score == best && templ < index);
}

} // namespace flcc::method::shared
