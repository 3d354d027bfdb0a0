#pragma once

#include <cstdint>
#include <optional>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile/tile_loader.h"
#include "engine/method/masked_view.h"

namespace flcc::cpu {

/// A tile in a frame of its own, as CentredTile, for a scene that may have a mask and a footprint
/// that may leave the scene.
struct SupportFrame {
    CentredTile tile;        ///< `nonFinite` counts voxels inside the scene and its mask only
    double level = 0;        ///< c 2^-e
    int exponent = 0;        ///< e
    bool integer = false;    ///< every x 2^e is an integer
    std::int64_t inside = 0; ///< voxels inside the scene and its mask
    double norm = 0;         ///< ||x||
    double squareNorm = 0;   ///< ||x^2||
};

/// Loads the voxels of the box `seen` into `to`, whose first element is the corner of `seen`: x for
/// finite voxels inside the scene and its mask. Other elements of `to` are not written and must be
/// 0. c is the mean of the voxels written.
[[nodiscard]] SupportFrame loadSupport(const method::MaskedView& scene, const base::Box& seen,
                                       const simd::DoubleBox& to);

/// The same by vector code, for a box inside a scene without a mask, where the pixel type has that.
/// c may differ in its last places. Empty: the type has none, or a voxel is not finite.
[[nodiscard]] std::optional<SupportFrame>
loadInScene(const base::AnyView& scene, const base::Box& seen, const simd::DoubleBox& to);

/// The same with 1 for every voxel inside the scene and its mask.
void loadInside(const method::MaskedView& scene, const base::Box& seen, const simd::DoubleBox& to);

/// The same with 1 for voxels inside that are not finite, 0 for finite ones.
void loadNonFinite(const method::MaskedView& scene, const base::Box& seen,
                   const simd::DoubleBox& to);

/// Replaces every x by x^2.
void squareInPlace(const base::Extents& extents, const simd::DoubleBox& box);

} // namespace flcc::cpu
