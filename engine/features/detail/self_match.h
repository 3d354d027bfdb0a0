#pragma once

#include <array>
#include <cstdint>

#include "engine/base/image.h"

namespace flcc::features::detail {

/// A box and its surroundings, one box to each side, at a grid of points.
struct Surroundings {
    base::Image<float> image; ///< three boxes along each axis, with the box in the middle
    base::Extents box;        ///< points of the box
    /// The points that count; a placement of the box that leaves them has no score.
    base::Box valid;
    base::Image<std::uint8_t> support{}; ///< points of the box that count; empty: all of them
};

/// LCC of a box with all parts of its surroundings of its size.
struct SelfMatch {
    base::Image<float> scores; ///< NaN: no score; the middle is the box itself
    base::Index middle;
    double second = 0; ///< best score more than half a box away on an axis, at least 0
    base::Index secondAt;
    /// Largest offset within half a box at which the score is `kNearScore` or more.
    std::int64_t near = 0;
};

inline constexpr double kNearScore = 0.5;

/// **Shapes**: the box is not constant and holds no NaN. **Errors**: as CanonicalTemplate.
/// **Cost**: one pass over the box for each placement.
[[nodiscard]] SelfMatch matchSelf(const Surroundings& around);

} // namespace flcc::features::detail
