#pragma once

#include <cstdint>

#include "engine/cuda/kernels/tiled_launch.h"

namespace flcc::cuda {

/// The weights that a tile is correlated with: That, its support B_T (1 for voxels that count), and
/// That^2, of engine/method/NUMERICS.md, section 1.
enum class SupportWeights : std::int32_t { That, Support, Square };
inline constexpr int kSupportWeights = 3;

/// The values of a tile that are correlated: x, x^2, 1 for voxels inside the scene and its mask, 1
/// for voxels inside that are NaN or Inf. All are 0 elsewhere.
enum class SupportInput : std::int32_t { Voxels, Squares, Inside, NonFinite };
inline constexpr int kSupportInputs = 4;

/// The sums of a panel: cn, s1, s2, n, t1 and t2 of engine/method/NUMERICS.md, section 1, and the
/// number of voxels that are NaN or Inf.
enum SupportSum : std::int32_t { kSumCn, kSumS1, kSumS2, kSumN, kSumT1, kSumT2, kSumNonFinite };
inline constexpr int kSupportSums = 7;

/// The arguments for tiles whose panels are not full boxes inside the scene, because of a mask or
/// because placements leave the scene, and for sums by transforms. All sums are correlations in
/// double (engine/method/NUMERICS.md, section 5, last part). Of `constants` only count, promise and
/// boundConstant are used.
struct SupportLaunch : TiledLaunch, PanelRule {
    double* sums[kSupportSums] = {};          ///< tileValues() for each tile; null if not needed
    double weightNorms[kSupportWeights] = {}; ///< Euclidean norms of the weights
    double tileError = 0; ///< error of a correlation, divided by the norms of weights and tile
    SupportInput input = SupportInput::Voxels; ///< the input that Load writes
    SupportSum sum = kSumCn;                   ///< the sum that Multiply writes to
};

/// The steps of such a launch. The caller transforms `data` forward after Load, and a sum back
/// after Multiply. SupportInput::Voxels is loaded first, because that also finds the frames.
enum class SupportStep : std::int32_t {
    Load,     ///< writes `input` to `data`, and finds its norm
    Multiply, ///< writes `data` times `spectrum` to `sum`
    Score,    ///< computes scores, statuses and tallies from the sums
};

} // namespace flcc::cuda
