#pragma once

#include <cstddef>
#include <stop_token>

#include "engine/base/image.h"
#include "engine/base/pixels.h"

namespace flcc::filter::detail {

[[nodiscard]] base::Image<double> asDoubles(const base::AnyView& source);

/// The average along one axis by a triangle whose half width is `half` voxels.
[[nodiscard]] base::Image<double> averaged(const base::Image<double>& image, std::size_t axis,
                                           double half, const std::stop_token& stop);

} // namespace flcc::filter::detail
