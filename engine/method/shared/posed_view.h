#pragma once

#include "engine/method/masked_view.h"
#include "engine/rotation/turn.h"

namespace flcc::method {

/// A template in a pose with its support; whole ones have no mask. `turned` must outlive the view.
[[nodiscard]] inline MaskedView viewOf(const rotation::TurnedTemplate& turned) {
    return {base::viewOf(turned.pixels),
            turned.whole ? base::View<const std::uint8_t>() : turned.support.view(),
            turned.weights.empty() ? base::View<const double>() : turned.weights.view()};
}

} // namespace flcc::method
