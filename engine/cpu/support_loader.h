#pragma once

#include <cstdint>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile_loader.h"
#include "engine/method/masked_view.h"

namespace flcc::cpu {

/// A tile in its own frame as CentredTile, of a scene that may have a mask and of a footprint that
/// may leave it.
struct SupportFrame {
    CentredTile tile;        ///< nonFinite counts the voxels inside only
    double level = 0;        ///< c 2^-e
    bool integer = false;    ///< x 2^e are integers
    std::int64_t inside = 0; ///< voxels inside the scene and its mask
    double norm = 0;         ///< ||x||
    double squareNorm = 0;   ///< ||x^2||
};

/// Loads what `seen` sees of the scene into `to`, its first voxel the corner of `seen`: x where the
/// voxel is inside the scene and its mask and finite. The rest of `to` must be 0 and stays so. c is
/// the mean of the voxels written.
[[nodiscard]] SupportFrame loadSupport(const method::MaskedView& scene, const base::Box& seen,
                                       const simd::DoubleBox& to);

/// Likewise 1 where the voxel is inside.
void loadInside(const method::MaskedView& scene, const base::Box& seen, const simd::DoubleBox& to);

/// Likewise 1 where it is inside and not finite.
void loadNonFinite(const method::MaskedView& scene, const base::Box& seen,
                   const simd::DoubleBox& to);

/// x^2 for x.
void squareInPlace(const base::Extents& extents, const simd::DoubleBox& box);

} // namespace flcc::cpu
