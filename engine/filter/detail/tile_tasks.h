#pragma once

#include <vector>

#include "engine/base/image.h"
#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/scene_loader.h"

/// What methods that work tile by tile share.
namespace flcc::filter::detail {

// Nanoseconds of one thread to load a voxel of a tile and to store a result. Measured on two cores
// at 2.6 GHz with AVX-512; only their relation to the cost model of the machine counts.
inline constexpr double kLoadNs = 0.35;
inline constexpr double kStoreNs = 0.3;

template <class Real> [[nodiscard]] cpu::simd::VoxelBox<Real> boxOf(base::Image<Real>& image) {
    return {image.data(), image.extents().x, image.extents().x * image.extents().y};
}

[[nodiscard]] inline base::Box shifted(const base::Box& box, const base::Index& by) {
    return {{box.corner.x + by.x, box.corner.y + by.y, box.corner.z + by.z}, box.extents};
}

/// A tile of `wanted` voxels, at least one along each axis, that does not leave results of extents
/// `out`.
[[nodiscard]] inline base::Extents fitted(const base::Extents& wanted, const base::Extents& out) {
    const auto fit = [](std::int64_t length, std::int64_t most) {
        return std::min(std::max<std::int64_t>(length, 1), most);
    };
    return {fit(wanted.x, out.x), fit(wanted.y, out.y), fit(wanted.z, out.z)};
}

/// Writes the results of a tile, times the power of two `scale` and divided by `divisor`.
template <class Real>
void storeTile(const cpu::simd::VoxelBox<Real>& from, const base::Box& box, double divisor,
               double scale, const base::View<Real>& to) {
    const auto by = static_cast<Real>(divisor);
    const auto factor = static_cast<Real>(scale);
    for (std::int64_t z = 0; z < box.extents.z; ++z) {
        for (std::int64_t y = 0; y < box.extents.y; ++y) {
            const Real* const row = from.data + z * from.sliceStride + y * from.rowStride;
            Real* const out = to.row(box.corner.y + y, box.corner.z + z) + box.corner.x;
            if (divisor == 1 && scale == 1) {
                std::copy_n(row, box.extents.x, out);
            } else if (divisor == 1) {
                for (std::int64_t x = 0; x < box.extents.x; ++x) {
                    out[x] = row[x] * factor;
                }
            } else {
                for (std::int64_t x = 0; x < box.extents.x; ++x) {
                    out[x] = row[x] * factor / by;
                }
            }
        }
    }
}

/// Runs `work(box, buffers, outcome)` for every tile of `grid` on the task's threads. Each worker
/// has Buffers made of `arguments`.
template <class Buffers, class Real, class Work, class... Arguments>
Outcome runTiles(const Task<Real>& task, const cpu::TileGrid& grid, Work&& work,
                 const Arguments&... arguments) {
    const auto threads = static_cast<std::size_t>(task.pool.threads());
    cpu::ThreadBuffers<Buffers> buffers(task.pool.threads(), arguments...);
    std::vector<Outcome> found(threads);
    const bool done = task.pool.run(
        grid.count(),
        [&](std::int64_t tile, int worker) {
            work(grid.box(tile), buffers.of(worker), found[static_cast<std::size_t>(worker)]);
        },
        task.stop, task.phase(grid.count()));
    Outcome outcome;
    for (const Outcome& one : found) {
        outcome.join(one);
    }
    outcome.cancelled = !done;
    return outcome;
}

} // namespace flcc::filter::detail
