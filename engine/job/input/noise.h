#pragma once

#include <cstdint>

#include "engine/base/pixels.h"

namespace flcc::job::detail {

/// A scene to time methods on: mean 100, deviation 20, within 30 to 170. Each voxel is a sum of
/// four uniform numbers.
[[nodiscard]] base::AnyImage noise(base::PixelType type, const base::Extents& extents,
                                   std::uint64_t seed);

} // namespace flcc::job::detail
