#include <algorithm>
#include <cstdint>

#include "engine/cpu/simd/kernels.h"

// How many rows, columns and planes of window sums are made together.

namespace flcc::cpu::simd {

namespace {
constexpr std::int64_t kTogetherDoubles = 4096; // 32 KiB
}

std::int64_t rowsTogether(std::int64_t columns) {
    const std::int64_t rows = kTogetherDoubles / (2 * sumsRow(columns));
    return rows >= 8 ? 8 : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
}

std::int64_t rowGroup(std::int64_t width, std::int64_t columns) {
    return width < 64 ? rowsTogether(columns) : 8;
}

base::Extents stripExtents(const base::Extents& m, const base::Extents& out) {
    // A block of m.y rows of sums, 16 bytes a voxel, is to fit 512 KiB, and the planes of sums 1
    // MiB: half and all of a second-level cache. But a strip must not have more margin than inside.
    constexpr std::int64_t kVoxels = 32768;
    const auto whole = [](std::int64_t length) { return (length + 15) / 16 * 16; };
    const std::int64_t columns =
        std::min(out.x, std::max({std::int64_t{128}, 2 * whole(m.x), whole(kVoxels / m.y) - m.x}));
    const std::int64_t lines = 2 * kVoxels / windowRows(m.z, planeGroup(m.z)) / (columns + m.x - 1);
    const std::int64_t rows =
        m.z == 1 ? out.y : std::min(out.y, std::max({std::int64_t{8}, 2 * m.y, lines - m.y}));
    return {columns, rows, 1};
}

base::Extents runningStrip(const base::Extents& m, const base::Extents& out) {
    // A plane of sums, 16 bytes a voxel, is to fit 512 KiB, half of a second-level cache. But a
    // strip must not have more margin than inside.
    constexpr std::int64_t kVoxels = 32768;
    const std::int64_t columns = std::min(out.x, std::max(std::int64_t{1024}, 4 * m.x));
    const std::int64_t lines = kVoxels / (columns + m.x - 1);
    return {columns, m.z == 1 ? out.y : std::min(out.y, std::max(2 * m.y, lines - m.y)), 1};
}

std::int64_t scoreScratch(const base::Extents& m, const base::Extents& tile, bool additions) {
    constexpr std::int64_t kSlackDoubles = 64;
    const base::Extents running = runningStrip(m, tile);
    const std::int64_t runningColumns = running.x + m.x - 1;
    const std::int64_t runningLines = m.z == 1 ? 0 : running.y + m.y - 1;
    const std::int64_t forRunning = 2 * runningLines * sumsRow(runningColumns) +
                                    2 * (1 + kRunningRows) * runningRow(runningColumns);
    if (!additions) {
        return forRunning + kSlackDoubles;
    }
    const base::Extents strip = stripExtents(m, tile);
    const std::int64_t columns = strip.x + m.x - 1;
    // Narrower strips take more rows together, up to kTogetherDoubles.
    const std::int64_t row = 2 * sumsRow(columns);
    const std::int64_t together = std::max(kTogetherDoubles, row);
    const std::int64_t rows = windowRows(m.y, rowGroup(m.y, columns)) * row + kTogetherDoubles;
    const std::int64_t planes =
        m.z == 1 ? 0 : windowRows(m.z, planeGroup(m.z)) * (strip.y + m.y - 1) * row;
    return std::max(planes + rows + together, forRunning) + kSlackDoubles;
}

} // namespace flcc::cpu::simd
