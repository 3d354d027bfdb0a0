#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace flcc::base {

/// A position in a voxel grid, 0-based, x fastest in memory; may be negative for placements that
/// leave the scene.
struct Index {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;
    friend bool operator==(const Index&, const Index&) = default;
};

/// The number of voxels along each axis. A 2D image has z = 1.
struct Extents {
    std::int64_t x = 0;
    std::int64_t y = 1;
    std::int64_t z = 1;
    friend bool operator==(const Extents&, const Extents&) = default;
};

/// A box of voxels: the corner is its first voxel, the extents count its voxels.
struct Box {
    Index corner;
    Extents extents;
    friend bool operator==(const Box&, const Box&) = default;
};

/// A point in voxel coordinates (the centre of voxel i lies on i) or in world units.
using Point = std::array<double, 3>;

/// x*y*z. **Errors**: Problem when an extent is below 1 or the count leaves 63 bits.
[[nodiscard]] std::int64_t voxelCount(const Extents& extents);

/// Bytes of `extents` voxels of `bytesPerVoxel`. **Errors**: as voxelCount.
[[nodiscard]] std::int64_t byteCount(const Extents& extents, std::int64_t bytesPerVoxel);

/// Extents of the `valid` map, n - m + 1. **Errors**: Problem, naming both, when the template is
/// larger than the scene on any axis.
[[nodiscard]] Extents validExtents(const Extents& scene, const Extents& templ);

/// True when `box` lies inside `extents` and holds at least one voxel.
[[nodiscard]] bool contains(const Extents& extents, const Box& box);

/// True when the grid has one slice only.
[[nodiscard]] inline bool isFlat2D(const Extents& extents) { return extents.z == 1; }

[[nodiscard]] std::string toString(const Extents& extents); ///< "64x32x1"
[[nodiscard]] std::string toString(const Index& index);     ///< "3,4,0"
[[nodiscard]] std::string toString(const Box& box);         ///< "3,4,0:64,32,1"

} // namespace flcc::base
