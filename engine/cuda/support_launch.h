#pragma once

#include <cstdint>

#include "engine/cuda/tiled_launch.h"

namespace flcc::cuda {

/// What the sums of METHODS 2.0 correlate a tile with: That, B_T, That^2.
enum class SupportWeights : std::int32_t { That, Support, Square };
inline constexpr int kSupportWeights = 3;

/// What goes into a transform for them: x, x^2, 1 where a voxel is inside, 1 where one inside is
/// not finite; 0 elsewhere.
enum class SupportInput : std::int32_t { Voxels, Squares, Inside, NonFinite };
inline constexpr int kSupportInputs = 4;

/// The sums.
enum SupportSum : std::int32_t { kSumCn, kSumS1, kSumS2, kSumN, kSumT1, kSumT2, kSumNonFinite };
inline constexpr int kSupportSums = 7;

/// Tiles that are no plain boxes inside the scene, under a mask of the template for one: all sums
/// are correlations in double (METHODS 2.0, 2.1). `constants` gives count, promise and
/// boundConstant.
struct SupportLaunch : TiledLaunch, PanelRule {
    double* sums[kSupportSums] = {};          ///< tileValues() of every tile; null where not taken
    double weightNorms[kSupportWeights] = {}; ///< Euclidean norms of the weights
    double tileError = 0; ///< of a correlation, times the norms of weights and tile
    SupportInput input = SupportInput::Voxels; ///< what Load loads
    SupportSum sum = kSumCn;                   ///< what Multiply leaves its products in
};

/// What a device is asked to do with such a launch. Forward transforms of `data` come after Load,
/// inverse ones of a sum after Multiply; voxels are loaded first.
enum class SupportStep : std::int32_t {
    Load,     ///< `input` into `data`, and its norm
    Multiply, ///< `data` times `spectrum` into `sum`
    Score,    ///< sums to scores, statuses and tallies
};

} // namespace flcc::cuda
