#include "engine/features/detail/levels.h"

#include <algorithm>
#include <cmath>

namespace flcc::features::detail {

namespace {

/// Buffers of one row for each worker.
std::vector<std::vector<double>> rowBuffers(const base::TilePool& pool, std::int64_t count) {
    return std::vector<std::vector<double>>(static_cast<std::size_t>(pool.threads()),
                                            std::vector<double>(static_cast<std::size_t>(count)));
}

} // namespace

LevelImage::LevelImage(const Grid& grid)
    : rows({grid.stride, grid.rows, 1}), blocks({grid.extents.x * kLines, grid.rowBlocks(), 1}) {}

bool findLevels(const ChannelImage& image, int channel, const LevelRange& range, int levels,
                const Grid& grid, base::TilePool& pool, const std::stop_token& stop,
                LevelImage& to) {
    const base::Extents n = grid.extents;
    const std::int64_t rows = n.y * n.z;
    auto buffers = rowBuffers(pool, n.x);
    std::vector<std::vector<std::int64_t>> counts(
        static_cast<std::size_t>(pool.threads()),
        std::vector<std::int64_t>(static_cast<std::size_t>(levels) + 1));
    const double unit = std::ldexp(1.0, -range.exponent);
    const auto work = [&](std::int64_t block, int worker) {
        double* const buffer = buffers[static_cast<std::size_t>(worker)].data();
        auto& count = counts[static_cast<std::size_t>(worker)];
        std::uint16_t* const lines = to.blocks.data() + block * n.x * kLines;
        for (std::int64_t i = 0; i < kLines; ++i) {
            const std::int64_t row = block * kLines + i;
            std::uint16_t* const out = to.rows.data() + row * grid.stride;
            std::fill(out, out + grid.stride, std::uint16_t{0});
            if (row < rows) {
                image.row(channel, row % n.y, row / n.y, buffer);
                for (std::int64_t x = 0; x < n.x; ++x) {
                    // The smallest k with v_k >= value; values on a level belong to it.
                    const double k = std::ceil((buffer[x] * unit - range.low) / range.step - 0.5);
                    const auto level =
                        static_cast<std::uint16_t>(std::clamp(k, 0.0, static_cast<double>(levels)));
                    out[x] = level;
                    ++count[level];
                }
            }
            for (std::int64_t x = 0; x < n.x; ++x) {
                lines[x * kLines + i] = out[x];
            }
        }
    };
    if (!pool.run(grid.rowBlocks(), work, stop)) {
        return false;
    }
    to.levels.clear();
    std::int64_t inside = 0;
    for (int k = 0; k < levels; ++k) {
        std::int64_t own = 0;
        for (const auto& count : counts) {
            own += count[static_cast<std::size_t>(k)];
        }
        inside += own;
        if (inside == 0 || inside == n.x * rows) {
            continue; // a constant image: no response
        }
        if (own > 0 || to.levels.empty()) {
            to.levels.push_back({static_cast<std::uint16_t>(k), 1});
        } else {
            to.levels.back().count += 1;
        }
    }
    return true;
}

} // namespace flcc::features::detail
