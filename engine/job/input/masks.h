#pragma once

#include <memory>
#include <stop_token>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// The nonzero voxels of `pixels`. **Errors**: Problem, naming `source`, for NaN and for a mask
/// without a nonzero voxel.
[[nodiscard]] base::Image<std::uint8_t> supportOf(const base::AnyView& pixels,
                                                  const std::string& source);

/// Throws if a mask does not have the extents of its image. `what`: "template" or "scene".
/// **Errors**: Problem, naming both extents.
void requireSameExtents(const MaskImage& mask, const char* what, const SceneImage& image);

/// **Errors**: CommandLine for a mask that names a shape with wrong numbers.
void requireShapes(const Job& job);

} // namespace flcc::job::detail
