#include "engine/filter/detail/local_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/filter/detail/magnitude_cells.h"
#include "engine/filter/detail/scene_loader.h"
#include "engine/filter/detail/tile_tasks.h"

namespace flcc::filter::detail {

namespace {

using base::Box;
using base::Extents;
using base::Image;
using cpu::roundUp;

/// Results that are checked, and computed again, at once: small beside a large kernel, as that is
/// rare and its buffers are then beside nothing.
Extents blockOf(const Problem& problem) {
    const Extents out = resultExtents(problem);
    const bool flat = out.z == 1 && problem.kernel.z == 1;
    return fitted(flat ? Extents{64, 64, 1} : Extents{32, 16, 16}, out);
}

/// Of a block that is computed again, so that several threads have something to do.
Extents tileOf(const Extents& block) {
    const std::int64_t rows = std::max<std::int64_t>(1, block.z > 1 ? block.y : block.y / 4);
    const std::int64_t slices = std::max<std::int64_t>(1, block.z / 4);
    return {block.x, rows, slices};
}

/// The voxels under a block, with the columns that a loader may write behind a row.
Extents loadedExtents(const Extents& m, const Extents& block) {
    return {roundUp(block.x + m.x - 1, 16) + cpu::simd::kSlack, block.y + m.y - 1,
            block.z + m.z - 1};
}

/// Replaces values[i] by the largest of values[i] .. values[i + m - 1], for the first `count` of
/// count + m - 1 values that lie `step` apart, in each of `lanes` lines side by side.
template <class Real>
void slideLargest(Real* values, std::int64_t step, std::int64_t count, std::int64_t m,
                  std::int64_t lanes) {
    const auto join = [&](std::int64_t length, std::int64_t by) {
        for (std::int64_t i = 0; i < length; ++i) {
            Real* const to = values + i * step;
            const Real* const from = to + by * step;
            if (lanes > 1) {
                for (std::int64_t lane = 0; lane < lanes; ++lane) {
                    to[lane] = to[lane] > from[lane] ? to[lane] : from[lane];
                }
            } else {
                *to = *to > *from ? *to : *from;
            }
        }
    };
    // The windows double as long as they fit; two of them cover the rest.
    std::int64_t width = 1;
    std::int64_t length = count + m - 1;
    while (2 * width <= m) {
        length -= width;
        join(length, width);
        width *= 2;
    }
    if (width < m) {
        join(count, m - width);
    }
}

struct LeastAndLargest {
    double least = 0; ///< of the largest magnitudes in cells, one of which is under every kernel
    double largest = 0;
};

/// Looks at cells of half the kernel in `seen`, a part of the scene.
template <class Voxel>
LeastAndLargest cellsOf(const base::View<const Voxel>& scene, const Box& seen, const Extents& m) {
    using Magnitude = std::conditional_t<std::is_same_v<Voxel, float>, float, double>;
    const Extents cell{(m.x + 1) / 2, (m.y + 1) / 2, (m.z + 1) / 2};
    const Extents& n = seen.extents;
    std::vector<Magnitude> columns(static_cast<std::size_t>(n.x));
    LeastAndLargest found{std::numeric_limits<double>::infinity(), 0};
    for (std::int64_t z = 0; z < n.z; z += cell.z) {
        for (std::int64_t y = 0; y < n.y; y += cell.y) {
            const bool whole = z + cell.z <= n.z && y + cell.y <= n.y;
            std::fill(columns.begin(), columns.end(), Magnitude{0});
            for (std::int64_t k = z; k < std::min(z + cell.z, n.z); ++k) {
                for (std::int64_t j = y; j < std::min(y + cell.y, n.y); ++j) {
                    const Voxel* const row =
                        scene.row(seen.corner.y + j, seen.corner.z + k) + seen.corner.x;
                    for (std::int64_t x = 0; x < n.x; ++x) {
                        const auto value = std::abs(static_cast<Magnitude>(row[x]));
                        Magnitude& to = columns[static_cast<std::size_t>(x)];
                        to = value > to ? value : to;
                    }
                }
            }
            for (std::int64_t x = 0; x < n.x; x += cell.x) {
                const auto from = columns.begin() + x;
                const double largest = *std::max_element(from, from + std::min(cell.x, n.x - x));
                found.largest = std::max(found.largest, largest);
                if (whole && x + cell.x <= n.x) {
                    found.least = std::min(found.least, largest);
                }
            }
        }
    }
    return found;
}

template <class Real> class LocalCheck {
  public:
    LocalCheck(const Task<Real>& task, const Outcome& outcome, double most)
        : m_task(task), m_outcome(outcome),
          m_weights(task.kernel.sumOfMagnitudes() / task.kernel.divisor()), m_most(most),
          m_first(firstVoxel(task.problem)), m_block(blockOf(task.problem)),
          m_loader(task.scene, task.problem.border),
          m_cells(task.problem, task.scene, task.pool, task.stop) {}

    LocalFindings run() {
        std::vector<SpreadError> blocks;
        for (const SpreadError& spread : m_outcome.spread) {
            if (!(spread.bound > 0)) {
                continue;
            }
            const cpu::TileGrid grid(spread.results.extents, m_block);
            for (std::int64_t i = 0; i < grid.count(); ++i) {
                blocks.push_back({shifted(grid.box(i), spread.results.corner), spread.bound});
            }
        }
        std::vector<std::uint8_t> broken(blocks.size(), 0);
        cpu::ThreadBuffers<Buffer> buffers(m_task.pool.threads(),
                                           loadedExtents(m_task.problem.kernel, m_block));
        const bool checked = m_task.pool.run(
            std::ssize(blocks),
            [&](std::int64_t i, int worker) {
                const auto number = static_cast<std::size_t>(i);
                broken[number] = check(blocks[number], buffers, worker) ? 0 : 1;
            },
            m_task.stop);
        m_findings.cancelled = !checked;
        for (std::size_t i = 0; i < blocks.size() && !m_findings.cancelled; ++i) {
            if (broken[i] != 0) {
                repeat(blocks[i].results);
                m_findings.repeated += base::voxelCount(blocks[i].results.extents);
            }
        }
        m_findings.largest += m_outcome.local / m_weights;
        return m_findings;
    }

  private:
    struct Buffer {
        explicit Buffer(const Extents& extents) : voxels(extents, Real{0}) {}
        Image<Real> voxels;
    };

    void keep(double spread) {
        const std::lock_guard lock(m_guard);
        m_findings.largest = std::max(m_findings.largest, spread);
    }

    /// False if the block must be computed again.
    bool check(const SpreadError& block, cpu::ThreadBuffers<Buffer>& buffers, int worker) {
        const double share = block.bound / m_weights; // of a magnitude of 1
        const Extents& m = m_task.problem.kernel;
        const Box seen = cpu::footprint(shifted(block.results, m_first), m);
        if (base::isInteger(m_task.problem.scenePixel) && share <= m_most) {
            keep(share); // a voxel other than 0 is at least 1
            return true;
        }
        if (const double least = m_cells.least(seen); share <= m_most * least) {
            keep(share / least);
            return true;
        }
        if (base::contains(m_task.problem.scene, seen)) {
            const LeastAndLargest cells = std::visit(
                [&](const auto& scene) {
                    using Voxel =
                        std::remove_const_t<std::remove_pointer_t<decltype(scene.data())>>;
                    return cellsOf<Voxel>(scene, seen, m);
                },
                m_task.scene);
            if (share <= m_most * cells.least) {
                keep(share / cells.least);
                return true;
            }
            if (cells.largest == 0) {
                clear(block.results);
                return true;
            }
        }
        return checkEach(block.results, seen, share, buffers.of(worker).voxels);
    }

    void clear(const Box& results) {
        for (std::int64_t z = 0; z < results.extents.z; ++z) {
            for (std::int64_t y = 0; y < results.extents.y; ++y) {
                std::fill_n(m_task.to.row(results.corner.y + y, results.corner.z + z) +
                                results.corner.x,
                            results.extents.x, Real{0});
            }
        }
    }

    /// Compares with the largest magnitude under the kernel of every result.
    bool checkEach(const Box& results, const Box& seen, double share, Image<Real>& voxels) {
        const cpu::simd::VoxelBox<Real> box = boxOf(voxels);
        (void)m_loader.load(seen, 1, box);
        const Extents& m = m_task.problem.kernel;
        const Extents& out = results.extents;
        for (std::int64_t z = 0; z < seen.extents.z; ++z) {
            for (std::int64_t y = 0; y < seen.extents.y; ++y) {
                Real* const row = box.data + z * box.sliceStride + y * box.rowStride;
                std::transform(row, row + seen.extents.x, row,
                               [](Real value) { return std::abs(value); });
                slideLargest(row, 1, out.x, m.x, 1);
            }
            slideLargest(box.data + z * box.sliceStride, box.rowStride, out.y, m.y, out.x);
        }
        for (std::int64_t y = 0; y < out.y && m.z > 1; ++y) {
            slideLargest(box.data + y * box.rowStride, box.sliceStride, out.z, m.z, out.x);
        }
        double largest = 0;
        for (std::int64_t z = 0; z < out.z; ++z) {
            for (std::int64_t y = 0; y < out.y; ++y) {
                const Real* const row = box.data + z * box.sliceStride + y * box.rowStride;
                Real* const to =
                    m_task.to.row(results.corner.y + y, results.corner.z + z) + results.corner.x;
                for (std::int64_t x = 0; x < out.x; ++x) {
                    if (row[x] > 0) {
                        largest = std::max(largest, share / static_cast<double>(row[x]));
                    } else {
                        to[x] = 0;
                    }
                }
            }
        }
        if (largest > m_most) {
            return false;
        }
        keep(largest);
        return true;
    }

    /// Computes `results` again, from the voxels under them alone.
    void repeat(const Box& results) {
        const FilterMethod& method =
            m_task.kernel.terms().empty() ? directFilter() : separableFilter();
        const method::Candidate candidate{.method = std::string(method.name()),
                                          .tile = tileOf(results.extents),
                                          .threads = m_task.pool.threads()};
        const Outcome outcome = method.run(Task<Real>{m_task.problem,
                                                      m_task.kernel,
                                                      candidate,
                                                      m_task.scene,
                                                      m_task.to.part(results),
                                                      m_task.pool,
                                                      m_task.stop,
                                                      {},
                                                      results.corner});
        m_findings.cancelled = outcome.cancelled;
        m_findings.largest = std::max(m_findings.largest, outcome.local / m_weights);
    }

    const Task<Real>& m_task;
    const Outcome& m_outcome;
    double m_weights; ///< sum |weights| of the kernel
    double m_most;
    base::Index m_first;
    Extents m_block;
    SceneLoader<Real> m_loader;
    MagnitudeCells m_cells;
    std::mutex m_guard;
    LocalFindings m_findings;
};

} // namespace

double mostSpread(method::Precision precision) {
    return precision == method::Precision::Single ? 1e-4 : 1e-10;
}

template <class Real>
LocalFindings checkLocally(const Task<Real>& task, const Outcome& outcome, double most) {
    return LocalCheck<Real>(task, outcome, outcome.mostSpread > 0 ? outcome.mostSpread : most)
        .run();
}

template LocalFindings checkLocally(const Task<float>&, const Outcome&, double);
template LocalFindings checkLocally(const Task<double>&, const Outcome&, double);

std::int64_t checkBytes(const Problem& problem, const Kernel& kernel, int threads) {
    const Extents& m = problem.kernel;
    const Extents block = blockOf(problem);
    const std::int64_t size = bytesOf(problem.precision);
    const std::int64_t magnitudes = base::byteCount(loadedExtents(m, block), threads * size);
    const Extents tile = tileOf(block);
    const std::int64_t products =
        kernel.terms().empty()
            ? std::max(base::byteCount(m, 8 + size),
                       base::byteCount(m, size) +
                           base::byteCount(cpu::directInput(m, tile), threads * size) +
                           base::byteCount(cpu::directOutput(tile), threads * size))
            : base::byteCount(loadedExtents(m, tile), 3 * threads * size);
    return std::max(magnitudes, products) + MagnitudeCells::bytes(problem);
}

} // namespace flcc::filter::detail
