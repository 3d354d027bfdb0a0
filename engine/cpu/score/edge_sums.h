#pragma once

#include "engine/cpu/score/masked_sums.h"
#include "engine/cpu/tile/mask_edges.h"

/// Window sums under the mask of a flat template, along the edges of the mask.
namespace flcc::cpu {

/// True if sums of a tile along edges are exact in 32 bits.
[[nodiscard]] bool edgesAreWhole(const MaskWeights& mask, const CentredTile& tile);

/// True if sums along the edges of a mask are cheap: in `wholes`, whole numbers of 32 bits, which
/// then cost about as much as transforms in single precision, or in double, which still cost less
/// than transforms in double.
[[nodiscard]] bool hasShortEdges(const MaskWeights& mask, bool wholes);

/// True if sums by transforms in single precision would break the promise for more than a few
/// panels of a tile, whatever its masks: an estimate from boxes of about the template's extents.
/// `x` holds the voxels of `out` placements, `in` their energies. **Cost**: some 1 ns a voxel.
[[nodiscard]] bool expectsPoorSums(const base::Extents& points, const base::Extents& m,
                                   const base::Extents& out, const simd::FloatBox& x,
                                   double promise);

/// Sums under a mask of the placements `out` of a flat template, from sums along the rows of `x`:
/// in whole numbers if edgesAreWhole(), else in double. Returns their errors.
[[nodiscard]] MaskedSums sumAlongEdges(const MaskWeights& mask, const CentredTile& tile,
                                       const simd::FloatBox& x, const base::Extents& m,
                                       const base::Extents& out, const SumsRows& to);

/// The error of both of these sums. It does not depend on the voxels.
[[nodiscard]] double edgeSumsError(const MaskWeights& mask, const CentredTile& tile,
                                   const base::Extents& m, const base::Extents& out);

/// Bytes that sumAlongEdges() takes, about: those of masks with as many parts as turned boxes have.
[[nodiscard]] std::int64_t edgeSumsBytes(const base::Extents& m, const base::Extents& out);

} // namespace flcc::cpu
