#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/transform/tile_transform.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/scene_loader.h"
#include "engine/filter/detail/tile_tasks.h"
#include "engine/method/shared/fourier_bound.h"

/// How the overlap-save methods compute tiles.
namespace flcc::filter::detail {

template <class Real> method::shared::TransformErrors errorsOf() {
    // In double the kernel's spectrum has the errors of its own transform: the factor is 3.
    return std::is_same_v<Real, float> ? method::shared::TransformErrors{0x1p-24, 1}
                                       : method::shared::TransformErrors{0x1p-53, 3};
}
inline method::shared::TransformErrors errorsOf(method::Precision precision) {
    return precision == method::Precision::Single ? errorsOf<float>() : errorsOf<double>();
}

/// How a kernel is cut: blocks of the flipped kernel and the points of a transform.
struct Cut {
    cpu::TransformShape points;
    base::Extents outputs; ///< results of a tile
    std::vector<base::Box> blocks;
};

inline std::int64_t blockCount(const base::Extents& m, const base::Extents& block) {
    return cpu::TileGrid(m, block).count();
}

/// `block`: extents of the largest block of the kernel.
inline Cut cutOf(const cpu::TransformShape& points, const base::Extents& m,
                 const base::Extents& block, const base::Extents& out) {
    Cut cut{points,
            {std::min(points.x - block.x + 1, out.x), std::min(points.y - block.y + 1, out.y),
             std::min(points.z - block.z + 1, out.z)},
            {}};
    const cpu::TileGrid grid(m, block);
    for (std::int64_t i = 0; i < grid.count(); ++i) {
        cut.blocks.push_back(grid.box(i));
    }
    return cut;
}

/// The buffers of one transform.
template <class Real> struct TileBuffers {
    TileBuffers(const cpu::TransformShape& points, bool blocks)
        : tile({voxels(points), 1, 1}, Real{0}), work({spectrum(points), 1, 1}, Real{0}),
          result({result_(points), 1, 1}, Real{0}) {
        if (blocks) {
            part = base::Image<Real>({spectrum(points), 1, 1}, Real{0});
            sum = base::Image<Real>({spectrum(points), 1, 1}, Real{0});
        }
    }
    base::Image<Real> tile;
    base::Image<Real> work;
    base::Image<Real> result;
    base::Image<Real> part; ///< spectrum of a segment
    base::Image<Real> sum;  ///< of products of spectra

    static std::int64_t voxels(const base::Extents& points) {
        return base::voxelCount(points) + cpu::TileTransform<Real>::kZeros;
    }
    static std::int64_t spectrum(const cpu::TransformShape& points) {
        return cpu::TileTransform<Real>::spectrumValues(points);
    }
    static std::int64_t result_(const cpu::TransformShape& points) {
        return std::max(spectrum(points), voxels(points));
    }
    static std::int64_t bytes(const cpu::TransformShape& points, bool blocks) {
        return static_cast<std::int64_t>(sizeof(Real)) *
               (voxels(points) + spectrum(points) * (blocks ? 3 : 1) + result_(points));
    }
};

template <class Real> class OverlapSave {
  public:
    OverlapSave(const Task<Real>& task, Cut cut)
        : m_task(task), m_cut(std::move(cut)),
          m_transform(cpu::TileTransform<Real>::of(m_cut.points)),
          m_loader(task.scene, task.problem.border), m_first(firstVoxel(task.problem)),
          m_scale(std::exp2(-std::ilogb(task.kernel.norm()))), m_norm(task.kernel.norm()) {}

    /// The kernel's spectra, in units of 1 / m_scale. False if stopped.
    bool prepare(const cpu::ForItems& each) {
        base::Image<double> weights = m_task.kernel.flippedWeights();
        for (std::int64_t i = 0; i < weights.count(); ++i) {
            weights.data()[i] *= m_scale;
        }
        const base::View<const double> view = weights.view();
        for (const base::Box& block : m_cut.blocks) {
            m_spectra.push_back(m_transform->templateSpectrum(view.part(block), each));
            if (m_spectra.back().empty() || m_task.stop.stop_requested()) {
                return false;
            }
        }
        return true;
    }

    /// All tiles, each on one thread.
    Outcome tiles() {
        const cpu::TileGrid grid(m_task.to.extents(), m_cut.outputs);
        return finished(runTiles<TileBuffers<Real>>(
            m_task, grid,
            [&](const base::Box& box, TileBuffers<Real>& own, Outcome& found) {
                compute({cpu::oneAfterTheOther(), 1}, box, own, found);
            },
            m_cut.points, m_cut.blocks.size() > 1));
    }

    /// One tile on all threads.
    Outcome whole() {
        const base::TilePool::Progress progress = m_task.phase(1);
        TileBuffers<Real> own(m_cut.points, false);
        Outcome outcome;
        const cpu::ForItems each = [&](std::int64_t count, const auto& work) {
            return m_task.pool.run(count, work, m_task.stop);
        };
        outcome.cancelled =
            m_task.stop.stop_requested() ||
            !compute({each, m_task.pool.threads()}, {{}, m_task.to.extents()}, own, outcome);
        if (progress && !outcome.cancelled) {
            progress(1);
        }
        return finished(outcome);
    }

  private:
    Outcome finished(Outcome outcome) const {
        const double divisor = m_task.kernel.divisor();
        outcome.local = 64 * errorsOf<Real>().unit * m_task.kernel.sumOfMagnitudes() / divisor +
                        roundingBound(m_task.problem, m_task.kernel);
        for (SpreadError& tile : outcome.spread) {
            tile.bound /= divisor;
            outcome.bound = std::max(outcome.bound, tile.bound);
        }
        outcome.bound += outcome.local * outcome.largest;
        return outcome;
    }

    /// The segment of the scene under block `block` of the kernel for the results of `box`.
    [[nodiscard]] base::Box segment(const base::Box& box, const base::Box& block) const {
        return cpu::footprint(shifted(shifted(box, m_first), block.corner), block.extents);
    }

    Loaded load(const base::Box& segment, double scale, base::Image<Real>& tile) const {
        const base::Extents& points = m_cut.points;
        std::fill_n(tile.data(), tile.count(), Real{0});
        const cpu::simd::VoxelBox<Real> to{tile.data(), points.x, points.x * points.y};
        // Rows may be stored behind their end, so gaps and the zeros behind the tile come after.
        const Loaded loaded = m_loader.load(segment, scale, to);
        const base::Extents& e = segment.extents;
        for (std::int64_t z = 0; z < e.z; ++z) {
            for (std::int64_t y = 0; y < e.y; ++y) {
                Real* const row = to.data + z * to.sliceStride + y * to.rowStride;
                std::fill(row + e.x, row + points.x, Real{0});
            }
        }
        return loaded;
    }

    bool compute(const cpu::Sharers& sharers, const base::Box& box, TileBuffers<Real>& own,
                 Outcome& found) const {
        const bool blocks = m_cut.blocks.size() > 1;
        const Loaded loaded =
            blocks ? loadedOf(box, own) : load(segment(box, m_cut.blocks.front()), 1, own.tile);
        // Products and their sums stay far from overflow and underflow.
        constexpr double kUsual = 0x1p40;
        double scale = 1;
        if (loaded.largest != 0 && !(loaded.largest <= kUsual && loaded.largest >= 1 / kUsual)) {
            scale = std::exp2(-std::ilogb(loaded.largest));
            if (!blocks) {
                load(segment(box, m_cut.blocks.front()), scale, own.tile);
            }
        }
        found.join(loaded);
        double bound = 0;
        const bool done =
            blocks ? manyBlocks(box, own, scale, bound) : oneBlock(sharers, box, own, bound);
        if (!done) {
            return false;
        }
        const base::Extents& points = m_cut.points;
        storeTile<Real>({own.result.data(), points.x, points.x * points.y}, box,
                        m_task.kernel.divisor(), 1 / (scale * m_scale), m_task.to);
        found.spread.push_back({box, bound / (scale * m_scale)});
        return true;
    }

    /// What all segments of a tile hold; they are loaded into its buffer one after the other.
    Loaded loadedOf(const base::Box& box, TileBuffers<Real>& own) const {
        Loaded loaded;
        for (const base::Box& block : m_cut.blocks) {
            const Loaded one = load(segment(box, block), 1, own.tile);
            loaded.largest = std::max(loaded.largest, one.largest);
            loaded.nonFinite += one.nonFinite;
        }
        return loaded;
    }

    bool oneBlock(const cpu::Sharers& sharers, const base::Box& box, TileBuffers<Real>& own,
                  double& bound) const {
        const std::optional<cpu::TileEnergies> energies =
            m_transform->correlate(sharers, m_spectra.front().data(), own.tile.data(),
                                   own.work.data(), own.result.data(), box.extents);
        if (!energies) {
            return false;
        }
        // The bound is that of a kernel of norm 1.
        const double norm = m_norm * m_scale;
        method::shared::TileEnergy out = energies->out;
        out.largestGathered /= norm * norm;
        const method::shared::FourierBound terms = method::shared::fourierBound(
            m_cut.points, m_task.problem.kernel, energies->in, out, errorsOf<Real>());
        bound = std::min(terms.typical, terms.worst) * norm;
        return true;
    }

    bool manyBlocks(const base::Box& box, TileBuffers<Real>& own, double scale,
                    double& bound) const {
        std::fill_n(own.sum.data(), own.sum.count(), Real{0});
        for (std::size_t i = 0; i < m_cut.blocks.size(); ++i) {
            if (m_task.stop.stop_requested()) {
                return false;
            }
            load(segment(box, m_cut.blocks[i]), scale, own.tile);
            const method::shared::TileEnergy in =
                m_transform->forward(own.tile.data(), own.work.data(), own.part.data());
            m_transform->addProduct(m_spectra[i].data(), own.part.data(), own.sum.count(),
                                    own.sum.data());
            // Each block has at most the norm of the kernel; each sum of spectra rounds once more.
            const method::shared::FourierBound terms = method::shared::fourierBound(
                m_cut.points, m_task.problem.kernel, in, {}, errorsOf<Real>());
            bound += terms.worst * m_norm * m_scale + errorsOf<Real>().unit *
                                                          static_cast<double>(m_cut.blocks.size()) *
                                                          std::sqrt(in.total) * m_norm * m_scale;
        }
        m_transform->inverse(own.sum.data(), own.work.data(), own.result.data(), box.extents);
        return true;
    }

    const Task<Real>& m_task;
    Cut m_cut;
    std::shared_ptr<const cpu::TileTransform<Real>> m_transform;
    std::vector<base::Image<Real>> m_spectra;
    SceneLoader<Real> m_loader;
    base::Index m_first;
    double m_scale; ///< power of two that brings the norm of the kernel to 1 .. 2
    double m_norm;
};

} // namespace flcc::filter::detail
