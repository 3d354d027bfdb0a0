#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/features/shared/recursive_line.h"

namespace flcc::features::detail {

/// Lines that are filtered side by side: a block holds voxel n of line i at n * kLines + i.
inline constexpr std::int64_t kLines = 8;

/// A block of lines of the indicator image [level(x) <= level]: voxel n of line i has the level
/// levels[n * stride + i].
struct IndicatorLines {
    const std::uint16_t* levels = nullptr;
    std::int64_t stride = kLines;
    std::uint16_t level = 0;
};

/// Where a filtered block goes: voxel n of line i to `to[n * stride + i]`, aligned to 64 bytes.
struct LineOutput {
    double* to = nullptr;
    std::int64_t stride = kLines;
    bool add = false; ///< adds to what is there
};

/// The line filters in one instruction set. Blocks are aligned to 64 bytes. `scratch` is a block
/// other than the input; the output may be the scratch.
struct LineKernels {
    std::string_view name; ///< "avx512", "avx2" or "baseline"
    void (*filter)(const shared::LineFilter& filter, const double* in, double* scratch,
                   const LineOutput& out, std::int64_t length);
    /// The input is +1/2 where the indicator is 1 and -1/2 elsewhere. The Laplacian of Gaussian of
    /// a constant is 0, so this changes nothing, and no line decays to subnormal numbers.
    void (*filterIndicator)(const shared::LineFilter& filter, const IndicatorLines& in,
                            double* scratch, const LineOutput& out, std::int64_t length);
    /// Copies `blocks` neighbouring blocks of lines at from[n * stride + i] to blocks that follow
    /// each other `blockSize` values apart.
    void (*gather)(const double* from, std::int64_t stride, std::int64_t blocks, double* to,
                   std::int64_t blockSize, std::int64_t length);
    /// Copies rows i = 0 .. 7 at rows + i * stride to a block, and back.
    void (*toBlock)(const double* rows, std::int64_t stride, double* block, std::int64_t length);
    void (*fromBlock)(const double* block, double* rows, std::int64_t stride, std::int64_t length,
                      bool add);
    /// sum += weight |a + b|, or weight |a + b + c| if c is not null.
    void (*addMagnitude)(const double* a, const double* b, const double* c, double weight,
                         double* sum, std::int64_t length);
};

/// The kernels that this processor can run, the fastest first.
[[nodiscard]] const std::vector<LineKernels>& lineKernels();

} // namespace flcc::features::detail
