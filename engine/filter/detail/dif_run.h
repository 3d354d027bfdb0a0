#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <type_traits>
#include <vector>

#include "engine/cpu/part_transform.h"
#include "engine/filter/detail/decimate.h"
#include "engine/filter/detail/decimation.h"
#include "engine/filter/detail/scene_loader.h"
#include "engine/filter/detail/tile_tasks.h"

/// How method dif computes.
namespace flcc::filter::detail {

/// The error of a result over the norms of scene and kernel, for boxes of `points` in all parts.
/// The first term is that of transforms, as in shared::fourierBound() without assumptions and with
/// a spectrum of the kernel in the same precision (*empirical*). By Cauchy-Schwarz the sum over the
/// parts keeps its form: the norms of the d parts of a box add up to sqrt(d) of its own. The other
/// terms count each rounding of sums over d values: in both boxes, and in the result.
[[nodiscard]] inline double errorOfParts(double points, int parts, double unit) {
    const double root = std::sqrt(std::log2(std::max(points, 2.0)));
    const double d = parts;
    return unit * (3 * std::max(2 * root, root + 4) + 2 * (d + 6) * std::sqrt(d) + d / 2 + 8);
}

template <class Real> class DifRun {
  public:
    explicit DifRun(const Task<Real>& task)
        : m_task(task), m_cut(Decimation::of(task.problem, task.candidate)),
          m_transform(Transform::of(m_cut.points, m_cut.fftw)),
          m_strips(Transform::strips(m_cut.points)),
          m_scale(std::exp2(-std::ilogb(task.kernel.norm()))),
          m_to(m_cut.turned(task.to.extents())),
          m_kernel(m_cut.turned(task.problem.kernel)), m_seen{m_to.x + m_kernel.x - 1,
                                                              m_to.y + m_kernel.y - 1,
                                                              m_to.z + m_kernel.z - 1},
          m_weights(flipped(task.kernel, m_scale)) {
        const auto threads = static_cast<std::int64_t>(task.pool.threads());
        const std::int64_t values = m_cut.bufferValues<Real>() / 2;
        m_scene = base::Image<Real>({values, 1, 1});
        m_templ = base::Image<Real>({values, 1, 1});
        m_scratch = base::Image<Real>({threads * m_cut.scratchValues<Real>(), 1, 1});
        m_found.resize(static_cast<std::size_t>(threads));
    }

    Outcome run() {
        Outcome outcome;
        for (int part = 0; part < m_cut.computed(); ++part) {
            if (!compute(part)) {
                outcome.cancelled = true;
                return outcome;
            }
        }
        for (const Found& found : m_found) {
            outcome.join(found.loaded);
        }
        const Kernel& kernel = m_task.kernel;
        const double error =
            errorOfParts(static_cast<double>(m_cut.parts * base::voxelCount(m_cut.points)),
                         m_cut.parts, unitOf(m_task.problem.precision));
        outcome.bound =
            error * kernel.norm() * std::sqrt(energy()) / m_sceneScale / kernel.divisor() +
            roundingBound(m_task.problem, kernel) * outcome.largest;
        return outcome;
    }

  private:
    using Transform = cpu::PartTransform<Real>;

    /// What a worker finds in the scene.
    struct Found {
        Loaded loaded;
        double energy = 0; ///< sum of the squares of the scaled voxels
    };
    /// A box that is decimated: the scene or the kernel.
    struct Source {
        const SceneLoader<Real>& loader;
        base::Index corner; ///< turned
        base::Extents extents;
        double scale;
    };
    /// The scratch of a worker while it makes a strip.
    struct Scratch {
        Real* strip;
        Real* voxels;
    };

    static base::Image<Real> flipped(const Kernel& kernel, double scale) {
        const base::Image<double> weights = kernel.flippedWeights();
        base::Image<Real> scaled(weights.extents());
        std::transform(weights.data(), weights.data() + weights.count(), scaled.data(),
                       [scale](double weight) { return static_cast<Real>(weight * scale); });
        return scaled;
    }

    [[nodiscard]] double energy() const {
        double sum = 0;
        for (const Found& found : m_found) {
            sum += found.energy;
        }
        return sum;
    }

    [[nodiscard]] Scratch scratchOf(int worker) {
        Real* const own = m_scratch.data() + worker * m_cut.scratchValues<Real>();
        return {own, own + 2 * m_cut.points.z * kStrip};
    }

    /// Runs a step of a part for all strips.
    template <class Work> bool forStrips(std::int64_t ys, int step, Work&& work) {
        const std::int64_t count = ys * m_strips;
        return m_task.pool.run(
            count,
            [&](std::int64_t item, int worker) { work(item / m_strips, item % m_strips, worker); },
            m_task.stop, m_task.phase(count, step, kSteps * m_cut.computed()));
    }

    bool compute(int part) {
        const cpu::PartKind kind = m_cut.kind(part);
        const cpu::ForItems each = [&](std::int64_t count, const auto& work) {
            return m_task.pool.run(count, work, m_task.stop);
        };
        const std::int64_t l = m_cut.points.z;
        m_turns = roots(part, m_cut.parts * l, l);
        m_roots = roots(part, m_cut.parts, m_cut.parts);
        const base::View<const Real> weights = m_weights.view();
        const SceneLoader<Real> ofKernel(weights, Border::Zero);
        const SceneLoader<Real> ofScene(m_task.scene, m_task.problem.border);
        const Source kernel{ofKernel, {0, 0, 0}, m_kernel, 1};
        // Parts between 0 and d / 2 stand for two.
        const double factor = (kind == cpu::PartKind::Complex ? 2.0 : 1.0) /
                              static_cast<double>(m_cut.parts * base::voxelCount(m_cut.points));
        const auto scene = [&] {
            return take(part, 0,
                        {ofScene, m_cut.turned(firstVoxel(m_task.problem)), m_seen, m_sceneScale},
                        m_scene.data());
        };
        if (!scene()) {
            return false;
        }
        if (part == 0 && needsScale()) {
            m_found.assign(m_found.size(), {});
            if (!scene()) {
                return false;
            }
        }
        return take(part, 1, kernel, m_templ.data()) &&
               m_transform->makeTemplate(each, kind, static_cast<Real>(factor), m_scratch.data(),
                                         m_templ.data()) &&
               m_transform->correlate(each, kind, m_templ.data(), m_scratch.data(),
                                      m_scene.data()) &&
               give(part);
    }

    /// Products and their sums stay far from overflow and underflow.
    bool needsScale() {
        constexpr double kUsual = 0x1p40;
        double largest = 0;
        for (const Found& found : m_found) {
            largest = std::max(largest, found.loaded.largest);
        }
        if (largest == 0 || (largest <= kUsual && largest >= 1 / kUsual)) {
            return false;
        }
        m_sceneScale = std::exp2(-std::ilogb(largest));
        return true;
    }

    /// exp(-2 pi i part k / n) for k = 0 .. count - 1
    static std::vector<Factor<Real>> roots(int part, std::int64_t n, std::int64_t count) {
        // Angles in double have errors of several roundings of a double.
        using Angle = std::conditional_t<std::is_same_v<Real, float>, double, long double>;
        std::vector<Factor<Real>> list;
        for (std::int64_t k = 0; k < count; ++k) {
            const Angle angle = -2 * std::numbers::pi_v<Angle> * static_cast<Angle>(part * k % n) /
                                static_cast<Angle>(n);
            list.push_back(
                {static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))});
        }
        return list;
    }

    /// The part of a box, transformed along the slowest axis: Karas (17) for any radix.
    bool take(int part, int step, const Source& source, Real* buffer) {
        const cpu::PartKind kind = m_cut.kind(part);
        const bool counts = part == 0 && buffer == m_scene.data();
        return forStrips(m_cut.points.y, kSteps * part + step,
                         [&](std::int64_t y, std::int64_t index, int worker) {
                             const std::int64_t x = index * kStrip;
                             if (y >= source.extents.y || x >= source.extents.x) {
                                 m_transform->clearStrip(kind, y, index, buffer);
                                 return;
                             }
                             const Scratch own = scratchOf(worker);
                             Found& found = m_found[static_cast<std::size_t>(worker)];
                             add(part, source, x, y, own, counts ? &found : nullptr);
                             m_transform->takeStrip(kind, own.strip, y, index, buffer);
                         });
    }

    void add(int part, const Source& source, std::int64_t x, std::int64_t y, const Scratch& own,
             Found* found) const {
        const cpu::PartKind kind = m_cut.kind(part);
        const std::int64_t l = m_cut.points.z;
        const std::int64_t columns = std::min(kStrip, source.extents.x - x);
        std::fill_n(own.strip, Transform::stripValues(m_cut.points, kind), Real{0});
        for (std::int64_t q = 0; q * l < source.extents.z; ++q) {
            const std::int64_t rows = std::min(l, source.extents.z - q * l);
            const base::Index& c = source.corner;
            const Loaded loaded =
                source.loader.load({m_cut.turned(base::Index{c.x + x, c.y + y, c.z + q * l}),
                                    m_cut.turned(base::Extents{columns, 1, rows})},
                                   source.scale, {own.voxels, kStrip, kStrip});
            for (std::int64_t row = 0; columns < kStrip && row < rows; ++row) {
                std::fill(own.voxels + row * kStrip + columns, own.voxels + (row + 1) * kStrip,
                          Real{0});
            }
            if (found != nullptr) {
                found->loaded.largest = std::max(found->loaded.largest, loaded.largest);
                found->loaded.nonFinite += loaded.nonFinite;
                found->energy += squares(own.voxels, rows * kStrip);
            }
            const Factor<Real>& factor = m_roots[static_cast<std::size_t>(q)];
            if (kind != cpu::PartKind::Complex) {
                addStrip(own.voxels, rows, factor.re, own.strip);
            } else if (rows == l) {
                addStrip(own.voxels, l, factor, own.strip);
            } else { // both beams have l elements
                std::fill(own.voxels + rows * kStrip, own.voxels + l * kStrip, Real{0});
                addStrip(own.voxels, l, factor, own.strip);
            }
        }
        turn(kind, false, own.strip);
    }

    static double squares(const Real* values, std::int64_t count) {
        double sums[8] = {};
        for (std::int64_t i = 0; i < count; i += 8) {
            for (std::int64_t lane = 0; lane < 8; ++lane) {
                const auto value = static_cast<double>(values[i + lane]);
                sums[lane] += value * value;
            }
        }
        return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
               ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }

    /// Multiplies the elements of a strip by m_turns, or by their conjugates.
    void turn(cpu::PartKind kind, bool conjugate, Real* strip) const {
        if (kind == cpu::PartKind::Real ||
            (kind == cpu::PartKind::Half && m_transform->takesHalfAsReal())) {
            return;
        }
        const std::int64_t l = m_cut.points.z;
        turnStrip(m_turns.data(), l, conjugate, strip);
        if (kind == cpu::PartKind::Complex) {
            turnStrip(m_turns.data(), l, conjugate, strip + l * kStrip);
        }
    }

    /// Adds a part of the result to the result: Karas (18) for any radix.
    bool give(int part) {
        const bool last = part + 1 == m_cut.computed();
        return forStrips(
            m_to.y, kSteps * part + 2, [&](std::int64_t y, std::int64_t index, int worker) {
                if (index * kStrip >= m_to.x) {
                    return;
                }
                Real* const strip = scratchOf(worker).strip;
                m_transform->giveStrip(m_cut.kind(part), m_scene.data(), y, index, strip);
                turn(m_cut.kind(part), true, strip);
                store(part, strip, y, index * kStrip);
                if (last && m_task.kernel.divisor() != 1) {
                    divide(y, index * kStrip);
                }
            });
    }

    [[nodiscard]] StripTarget<Real> target(std::int64_t x, std::int64_t y, std::int64_t z) const {
        const base::Index at = m_cut.turned(base::Index{x, y, z});
        return {m_task.to.row(at.y, at.z) + at.x,
                m_cut.slices ? m_task.to.sliceStride() : m_task.to.rowStride(),
                std::min(m_cut.points.z, m_to.z - z), std::min(kStrip, m_to.x - x)};
    }

    void store(int part, const Real* strip, std::int64_t y, std::int64_t x) const {
        const std::int64_t l = m_cut.points.z;
        const auto scale = static_cast<Real>(1 / (m_sceneScale * m_scale));
        for (std::int64_t q = 0; q * l < m_to.z; ++q) {
            const Factor<Real>& factor = m_roots[static_cast<std::size_t>(q)];
            const StripTarget<Real> to = target(x, y, q * l);
            if (m_cut.kind(part) == cpu::PartKind::Complex) {
                storeStrip(strip, l, Factor<Real>{factor.re * scale, -factor.im * scale}, to);
            } else {
                storeStrip(strip, factor.re * scale, part > 0, to);
            }
        }
    }

    void divide(std::int64_t y, std::int64_t x) const {
        const auto by = static_cast<Real>(m_task.kernel.divisor());
        for (std::int64_t z = 0; z < m_to.z; z += m_cut.points.z) {
            const StripTarget<Real> to = target(x, y, z);
            for (std::int64_t row = 0; row < to.rows; ++row) {
                Real* const values = to.to + row * to.stride;
                std::transform(values, values + to.columns, values,
                               [by](Real value) { return value / by; });
            }
        }
    }

    static constexpr int kSteps = 3; ///< of a part: scene, kernel, result

    const Task<Real>& m_task;
    Decimation m_cut;
    std::unique_ptr<const Transform> m_transform;
    std::int64_t m_strips;
    double m_scale;          ///< power of two that brings the norm of the kernel to 1 .. 2
    double m_sceneScale = 1; ///< power of two that brings large or small scenes near 1
    base::Extents m_to;      ///< turned, as all extents here
    base::Extents m_kernel;
    base::Extents m_seen; ///< voxels under the kernel
    base::Image<Real> m_weights;
    base::Image<Real> m_scene; ///< part of the scene, then of the result
    base::Image<Real> m_templ; ///< part of the kernel
    base::Image<Real> m_scratch;
    std::vector<Found> m_found;
    std::vector<Factor<Real>> m_turns; ///< W_N^(pn) of the part, by n
    std::vector<Factor<Real>> m_roots; ///< W_d^(pq), by q
};

} // namespace flcc::filter::detail
