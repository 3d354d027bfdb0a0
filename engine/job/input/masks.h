#pragma once

#include <memory>
#include <stop_token>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// The nonzero voxels of `pixels`. **Errors**: Problem, naming `source`, for NaN and for a mask
/// without a nonzero voxel.
[[nodiscard]] base::Image<std::uint8_t> supportOf(const base::AnyView& pixels,
                                                  const std::string& source);

/// The values of floats between 0 and 1 if those above 0 differ, so that not all of these voxels
/// count alike; else empty, as for other types and for values beyond that range.
[[nodiscard]] base::Image<float> weightsOf(const base::AnyView& pixels);

/// The mask of the pixels, with its weights.
[[nodiscard]] std::shared_ptr<MaskImage> weightedMask(const base::AnyView& pixels,
                                                      const std::string& source);

/// Throws if a mask does not have the extents of its image. `what`: "template" or "scene".
/// **Errors**: Problem, naming both extents.
void requireSameExtents(const MaskImage& mask, const char* what, const SceneImage& image);

/// **Errors**: CommandLine for a mask that names a shape with wrong numbers.
void requireShapes(const Job& job);

} // namespace flcc::job::detail
