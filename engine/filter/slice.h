#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/filter/kernel.h"
#include "engine/filter/planner.h"
#include "engine/filter/problem.h"
#include "engine/method/cost_model.h"

namespace flcc::filter {

/// A plane of voxels across an axis.
struct Plane {
    std::size_t depth = 2;     ///< the axis: 0 = x, 1 = y, 2 = z
    std::int64_t position = 0; ///< of the scene voxels along it

    friend bool operator==(const Plane&, const Plane&) = default;
};

/// One plane of convolve(), without computing the others: the scene is added up along `depth` with
/// the kernel's weights first, then convolved in the plane. The result whose kernel has its middle
/// in the plane, or the nearest one. Always in single precision; a recursive filter is taken where
/// it is the fastest, also where a plan with `auto` refuses its approximation.
///
/// **Shapes**: the two other axes in their order, and 1. **Errors**: as makePlan().
[[nodiscard]] Convolved convolvePlane(const Problem& problem, const Kernel& kernel,
                                      const method::CostModel& model, const base::AnyView& scene,
                                      const Plane& plane, base::TilePool& pool,
                                      const std::stop_token& stop = {});

/// The two axes of a plane, in their order.
[[nodiscard]] inline std::array<std::size_t, 2> axesAcross(std::size_t depth) {
    return {depth == 0 ? std::size_t{1} : std::size_t{0},
            depth == 2 ? std::size_t{1} : std::size_t{2}};
}

} // namespace flcc::filter
