#pragma once

#include <memory>
#include <stop_token>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// The voxels of `pixels` that are not 0. **Errors**: Problem, naming `source`, for NaN and for a
/// mask without a voxel inside.
[[nodiscard]] base::Image<std::uint8_t> supportOf(const base::AnyView& pixels,
                                                  const std::string& source);

/// Throws that a mask has other extents than what it belongs to: "template" or "scene".
/// **Errors**: Problem, naming both.
void requireSameExtents(const MaskImage& mask, const char* what, const SceneImage& image);

} // namespace flcc::job::detail
