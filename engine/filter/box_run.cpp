#include <algorithm>
#include <cmath>

#include "engine/filter/detail/box_rows.h"
#include "engine/filter/detail/recursive_runs.h"
#include "engine/filter/detail/scene_loader.h"
#include "engine/filter/detail/tile_tasks.h"

namespace flcc::filter::detail {

namespace {

using base::Box;
using base::Extents;
using base::Image;

/// Voxels under the results of a slice of a tile, with the slack of rows that are loaded.
Extents planeExtents(const Extents& m, const Extents& tile) {
    return {cpu::roundUp(tile.x + m.x - 1, 8) + cpu::simd::kSlack, tile.y + m.y - 1, 1};
}

struct BoxBuffers {
    BoxBuffers(const Extents& m, const Extents& tile)
        : plane(planeExtents(m, tile), 0.0), columns({plane.extents().x, 1, 1}, 0.0),
          wide({plane.extents().x, 1, 1}, 0.0), sums({plane.extents().x, 1, 1}, 0.0) {
        if (m.z > 1) {
            slice = Image<double>(planeExtents(m, tile), 0.0);
        }
    }
    Image<double> plane;   ///< sums along z
    Image<double> slice;   ///< a slice that enters or leaves them
    Image<double> columns; ///< sums along y of one row of results
    Image<double> wide;    ///< scratch of boxRow()
    Image<double> sums;

    static std::int64_t bytes(const Extents& m, const Extents& tile) {
        const Extents plane = planeExtents(m, tile);
        return 8 * (base::voxelCount(plane) * (m.z > 1 ? 2 : 1) + 3 * plane.x);
    }
};

} // namespace

Extents BoxRun::tile(const Problem& problem) {
    const Extents out = resultExtents(problem);
    const Extents& m = problem.kernel;
    const bool flat = out.z == 1 && m.z == 1;
    const std::int64_t rows = flat ? std::clamp<std::int64_t>(3 * m.y, 64, 512)
                                   : std::clamp<std::int64_t>(2 * m.y, 16, 64);
    return {std::min<std::int64_t>(flat ? 512 : 128, out.x), std::min(rows, out.y), out.z};
}

std::int64_t BoxRun::bytes(const Problem& problem, const Extents& tile, int threads) {
    return threads * BoxBuffers::bytes(problem.kernel, tile);
}

namespace {

/// The error of the running sums, for a scene with values of magnitude 1.
double slidingBound(const Problem& problem, const Extents& tile) {
    // Every sum is at most N. A running sum rounds twice a step, doubling twice a power of two.
    const Extents& m = problem.kernel;
    const auto steps = static_cast<double>((m.z > 1 ? 2 * (tile.z + m.z) : 0) + 2 * (tile.y + m.y));
    return 0x1p-53 * (steps + 2 * std::log2(static_cast<double>(m.x)) + 4);
}

double storingBound(const Problem& problem) {
    return problem.precision == method::Precision::Single ? 0x1p-24 : 0;
}

} // namespace

double BoxRun::bound(const Problem& problem, const Extents& tile) {
    return slidingBound(problem, tile) + storingBound(problem);
}

template <class Real> Outcome BoxRun::run(const Task<Real>& task) {
    const Extents& m = task.problem.kernel;
    const SceneLoader<double> loader(task.scene, task.problem.border);
    const base::Index first = firstVoxel(task.problem);
    Outcome outcome = runTiles<BoxBuffers>(
        task, cpu::TileGrid(task.to.extents(), task.candidate.tile),
        [&](const Box& box, BoxBuffers& own, Outcome& found) {
            const Box seen = cpu::footprint(shifted(box, first), m);
            const std::int64_t rowStride = own.plane.extents().x;
            const auto load = [&](std::int64_t z, Image<double>& to) {
                found.join(loader.load({{seen.corner.x, seen.corner.y, seen.corner.z + z},
                                        {seen.extents.x, seen.extents.y, 1}},
                                       1, boxOf(to)));
            };
            const auto slide = [&](double sign) {
                for (std::int64_t y = 0; y < seen.extents.y; ++y) {
                    double* const sums = own.plane.data() + y * rowStride;
                    const double* const values = own.slice.data() + y * rowStride;
                    for (std::int64_t x = 0; x < seen.extents.x; ++x) {
                        sums[x] += sign * values[x];
                    }
                }
            };
            if (m.z > 1) {
                own.plane.fill(0);
                for (std::int64_t z = 0; z < m.z - 1; ++z) {
                    load(z, own.slice);
                    slide(1);
                }
            }
            for (std::int64_t z = 0; z < box.extents.z; ++z) {
                if (m.z > 1) {
                    load(z + m.z - 1, own.slice);
                    slide(1);
                } else {
                    load(z, own.plane);
                }
                own.columns.fill(0);
                for (std::int64_t y = 0; y < m.y - 1; ++y) {
                    slideSums(own.columns.data(), own.plane.data() + y * rowStride, nullptr,
                              seen.extents.x);
                }
                for (std::int64_t y = 0; y < box.extents.y; ++y) {
                    slideSums(own.columns.data(), own.plane.data() + (y + m.y - 1) * rowStride,
                              y == 0 ? nullptr : own.plane.data() + (y - 1) * rowStride,
                              seen.extents.x);
                    boxRow(own.columns.data(), m.x, box.extents.x, task.kernel.divisor(),
                           own.wide.data(), own.sums.data(),
                           task.to.row(box.corner.y + y, box.corner.z + z) + box.corner.x);
                }
                if (m.z > 1) {
                    load(z, own.slice);
                    slide(-1);
                }
            }
        },
        m, task.candidate.tile);
    // Running sums of integers are integers: exact below 2^53, of whatever precision the result is.
    const bool exact = base::isInteger(task.problem.scenePixel) &&
                       outcome.largest * task.kernel.sumOfMagnitudes() < 0x1p53;
    outcome.bound = exact
                        ? (1 + 0x1p-28) * divisionBound(task.problem, task.kernel, outcome.largest)
                        : bound(task.problem, task.candidate.tile) * outcome.largest;
    outcome.local = outcome.largest > 0 ? outcome.bound / outcome.largest : 0;
    if (!exact) {
        // A voxel that has left a running sum leaves its roundings behind.
        outcome.local = storingBound(task.problem);
        outcome.spread.push_back(
            {{{}, task.to.extents()},
             slidingBound(task.problem, task.candidate.tile) * outcome.largest});
    }
    return outcome;
}

template Outcome BoxRun::run(const Task<float>&);
template Outcome BoxRun::run(const Task<double>&);

} // namespace flcc::filter::detail
