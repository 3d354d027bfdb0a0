#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/tile_pool.h"
#include "engine/features/channels.h"
#include "engine/features/detail/line_kernels.h"

namespace flcc::features::detail {

/// Voxels in memory as the filters need them: rows are padded to whole blocks of lines, and the
/// number of rows (y extent times z extent) too. Rows of doubles are never a whole number of memory
/// pages (4096 bytes) apart: the voxels of a column would share few lines of the processor's cache.
struct Grid {
    base::Extents extents;
    std::int64_t stride = 0; ///< voxels from one row to the next
    std::int64_t rows = 0;   ///< y times z, padded

    Grid() = default;
    explicit Grid(const base::Extents& n)
        : extents(n), stride(strideOf(n.x)), rows((n.y * n.z + kLines - 1) / kLines * kLines) {}
    [[nodiscard]] static std::int64_t strideOf(std::int64_t width) {
        constexpr std::int64_t kPage = 4096 / sizeof(double);
        const std::int64_t padded = (width + kLines - 1) / kLines * kLines;
        return padded % kPage == 0 ? padded + kLines : padded;
    }
    [[nodiscard]] std::int64_t count() const { return stride * rows; }
    [[nodiscard]] std::int64_t rowBlocks() const { return rows / kLines; }
};

/// The range of a channel and its levels v_k = low + (k + 1/2) step, k = 0 .. levels - 1.
/// **Units**: `low`, `high` and `step` in 2^exponent, which keeps what is made of them far from
/// overflow and underflow; other fields in values.
struct LevelRange {
    double low = 0;
    double high = 0;
    double step = 0; ///< 0 for a constant channel
    int exponent = 0;
    double minimum = 0; ///< of the values, less the level of the channel
    double maximum = 0;
    std::int64_t beyond = 0; ///< voxels outside the range, which belong to its end levels
};

/// A level whose indicator image [value <= v_k] differs from that of the level before, and the
/// number of levels that share the image.
struct DistinctLevel {
    std::uint16_t level = 0;
    double count = 1;
};

/// The number of levels below each voxel's value, so that [value <= v_k] = [number <= k]. Stored
/// twice: in rows for filters along y and z, in blocks of rows for filters along x.
struct LevelImage {
    base::Image<std::uint16_t> rows;
    base::Image<std::uint16_t> blocks; ///< voxel x of row 8 b + i at (b * nx + x) * 8 + i
    /// Levels whose indicator is neither all 0 nor all 1; for all others the response is 0.
    std::vector<DistinctLevel> levels;

    explicit LevelImage(const Grid& grid);
};

/// The range of a channel over the image, or its nominal range. The range of images of 8 bits is
/// that of their values. That of others ends, on each side, at the quantile of a thousandth of the
/// voxels plus the distance of both quantiles, unless values beyond that are at least
/// `fewest` voxels with two neighbours of their kind: they may be a blob, and the range reaches to
/// the last of them. Returns false if cancelled.
/// **Errors**: Problem for a value that is not finite, naming the first one.
[[nodiscard]] bool findRange(const ChannelImage& image, int channel, int levels, double fewest,
                             base::TilePool& pool, const std::stop_token& stop, LevelRange& range);

/// Fills `to` with the levels of a channel. Returns false if cancelled.
[[nodiscard]] bool findLevels(const ChannelImage& image, int channel, const LevelRange& range,
                              int levels, const Grid& grid, base::TilePool& pool,
                              const std::stop_token& stop, LevelImage& to);

} // namespace flcc::features::detail
