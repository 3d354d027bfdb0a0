#pragma once

#include <memory>
#include <stop_token>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"

namespace flcc::job {

struct MaskImage;
struct SceneImage;

// Templates and masks beside their scene in space. Images that state no directions
// (SceneImage::directed) keep their axes.

/// The image with its axes in the order of those of the scene, nearest to them if they are oblique:
/// every voxel stays where it is in space. With a note if a voxel moved; null if nothing changes.
[[nodiscard]] std::shared_ptr<const SceneImage> turnedToScene(const SceneImage& image,
                                                              const SceneImage& scene);
/// `stored`: the template of the mask before it was turned, or null; a mask of its extents that
/// states no directions itself is turned as it.
[[nodiscard]] std::shared_ptr<const MaskImage>
turnedToScene(const MaskImage& mask, const SceneImage& scene, const SceneImage* stored = nullptr);

/// How far the axes of an image are off those of the scene after turnedToScene(), in degrees; 0
/// where they are the same to a thousandth of a radian, or not stated.
[[nodiscard]] double degreesOff(const SceneImage& image, const SceneImage& scene);

/// The extents of onSceneGrid().
[[nodiscard]] base::Extents extentsOnSceneGrid(const SceneImage& templ, const SceneImage& scene,
                                               const base::Geometry& grid);

/// A template after turnedToScene() in voxels of the scene, about its own middle: along its axes,
/// or in space if they are oblique; what it leaves empty in its new box is not SceneImage::inside.
/// `grid`: the scene's, with the job's spacing.
[[nodiscard]] std::shared_ptr<const SceneImage>
onSceneGrid(const std::shared_ptr<const SceneImage>& templ, const SceneImage& scene,
            const base::Geometry& grid, const std::stop_token& stop);

} // namespace flcc::job
