#pragma once

#include <memory>
#include <stop_token>

#include "engine/job/job.h"
#include "engine/job/mask_shape.h"

namespace flcc::job::detail {

/// The mask of the pixels, see maskValues().
[[nodiscard]] std::shared_ptr<MaskImage> weightedMask(const base::AnyView& pixels,
                                                      const std::string& source);

/// Copies all but the voxels from one mask to another that was made of it.
void takeFacts(MaskImage& to, const MaskImage& from);

/// Throws if a mask does not have the extents of its image. `what`: "template" or "scene".
/// **Errors**: Problem, naming both extents.
void requireSameExtents(const MaskImage& mask, const char* what, const SceneImage& image);

/// A shape of voxels of the scene in voxels of a template of another spacing. `volume`: of it.
[[nodiscard]] MaskShape inVoxelsOf(const base::Geometry& templ, const MaskShape& shape,
                                   const base::Geometry& scene, bool volume);

/// **Errors**: CommandLine for a mask that names a shape with wrong numbers.
void requireShapes(const Job& job);

} // namespace flcc::job::detail
