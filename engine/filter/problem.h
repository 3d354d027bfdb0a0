#pragma once

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/filter/border.h"
#include "engine/method/problem.h"

namespace flcc::filter {

/// A kind of convolution, without pixels: everything that a plan depends on but the kernel.
struct Problem {
    base::Extents scene;
    base::PixelType scenePixel = base::PixelType::Float32;
    base::Extents kernel;
    method::Extent extent = method::Extent::Same;
    Border border = Border::Zero;
    /// The arithmetic; a result in Double holds doubles.
    method::Precision precision = method::Precision::Single;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Extents of the result: n - m + 1 (Valid), n (Same) or n + m - 1 (Full) on each axis, for a scene
/// of n and a kernel of m voxels. **Errors**: Problem for Valid when the kernel is larger than the
/// scene.
[[nodiscard]] base::Extents resultExtents(const Problem& problem);

/// The scene voxel under the first voxel of the flipped kernel for result voxel (0, 0, 0), as
/// method::firstPlacement(). With Same the middle of the kernel, voxel floor((m - 1) / 2), lies on
/// the voxel of the result.
[[nodiscard]] base::Index firstVoxel(const Problem& problem);

} // namespace flcc::filter
