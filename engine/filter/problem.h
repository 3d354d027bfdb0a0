#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/method/problem.h"

namespace flcc::filter {

/// Values outside the scene, for a line a b c d.
enum class Border : std::uint8_t {
    Zero,      ///< 0 0 | a b c d | 0 0
    Replicate, ///< a a | a b c d | d d
    Mirror,    ///< b a | a b c d | d c
    Wrap,      ///< c d | a b c d | a b
};

/// "zero", "replicate", "mirror" or "wrap".
[[nodiscard]] std::string_view name(Border border);

/// The index of the voxel that stands for index `i` of a line of `n` voxels, -1 for a zero.
/// `i` may be any number, so a kernel may be longer than the line.
[[nodiscard]] inline std::int64_t borderIndex(Border border, std::int64_t i, std::int64_t n) {
    if (i >= 0 && i < n) {
        return i;
    }
    switch (border) {
    case Border::Zero:
        return -1;
    case Border::Replicate:
        return i < 0 ? 0 : n - 1;
    case Border::Mirror: {
        const std::int64_t period = 2 * n;
        const std::int64_t at = ((i % period) + period) % period;
        return at < n ? at : period - 1 - at;
    }
    case Border::Wrap:
        return ((i % n) + n) % n;
    }
    return -1;
}

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
