#include "engine/features/detail/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include "engine/base/error.h"

namespace flcc::features::detail {

namespace {

/// Extremes of a part of the image, and the first voxel without a finite value.
struct Found {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    std::int64_t row = std::numeric_limits<std::int64_t>::max();
    std::int64_t x = 0;
    std::int64_t bad = 0;
};

void look(const double* values, std::int64_t count, std::int64_t row, Found& found) {
    for (std::int64_t x = 0; x < count; ++x) {
        const double value = values[x];
        if (!std::isfinite(value)) {
            ++found.bad;
            if (row < found.row) {
                found.row = row;
                found.x = x;
            }
            continue;
        }
        found.low = std::min(found.low, value);
        found.high = std::max(found.high, value);
    }
}

[[noreturn]] void refuseNonFinite(const Found& found, const base::Extents& n) {
    const base::Index at{found.x, found.row % n.y, found.row / n.y};
    throw base::Error(
        base::ErrorCode::Problem,
        std::to_string(found.bad) + " voxels of the image are NaN or infinite, the first at " +
            base::toString(at) + "; features needs finite values everywhere, replace them first");
}

/// Buffers of one row for each worker.
std::vector<std::vector<double>> rowBuffers(const base::TilePool& pool, std::int64_t count) {
    return std::vector<std::vector<double>>(static_cast<std::size_t>(pool.threads()),
                                            std::vector<double>(static_cast<std::size_t>(count)));
}

constexpr std::int64_t kRowsATile = 4 * kLines;

} // namespace

LevelImage::LevelImage(const Grid& grid)
    : rows({grid.stride, grid.rows, 1}), blocks({grid.extents.x * kLines, grid.rowBlocks(), 1}) {}

bool findRange(const ChannelImage& image, int channel, int levels, base::TilePool& pool,
               const std::stop_token& stop, LevelRange& range) {
    const base::Extents n = image.extents();
    const std::int64_t rows = n.y * n.z;
    auto buffers = rowBuffers(pool, n.x);
    std::vector<Found> parts(static_cast<std::size_t>(pool.threads()));
    const bool done =
        pool.run((rows + kRowsATile - 1) / kRowsATile,
                 [&](std::int64_t tile, int worker) {
                     auto& buffer = buffers[static_cast<std::size_t>(worker)];
                     for (std::int64_t row = tile * kRowsATile;
                          row < std::min(rows, (tile + 1) * kRowsATile); ++row) {
                         image.row(channel, row % n.y, row / n.y, buffer.data());
                         look(buffer.data(), n.x, row, parts[static_cast<std::size_t>(worker)]);
                     }
                 },
                 stop);
    if (!done) {
        return false;
    }
    Found all;
    for (const Found& part : parts) {
        all.low = std::min(all.low, part.low);
        all.high = std::max(all.high, part.high);
        all.bad += part.bad;
        if (part.row < all.row) {
            all.row = part.row;
            all.x = part.x;
        }
    }
    if (all.bad > 0) {
        refuseNonFinite(all, n);
    }
    const ChannelImage::Range nominal = image.nominalRange(channel);
    if (nominal.low < nominal.high) {
        all.low = nominal.low;
        all.high = nominal.high;
    }
    // Halves first: the difference of two finite values may not be finite.
    range = {all.low, all.high, 2 * ((all.high / 2 - all.low / 2) / levels)};
    return true;
}

bool findLevels(const ChannelImage& image, int channel, const LevelRange& range, int levels,
                const Grid& grid, base::TilePool& pool, const std::stop_token& stop,
                LevelImage& to) {
    const base::Extents n = grid.extents;
    const std::int64_t rows = n.y * n.z;
    auto buffers = rowBuffers(pool, n.x);
    std::vector<std::vector<std::int64_t>> counts(
        static_cast<std::size_t>(pool.threads()),
        std::vector<std::int64_t>(static_cast<std::size_t>(levels) + 1));
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
                    const double k = std::ceil((buffer[x] - range.low) / range.step - 0.5);
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
