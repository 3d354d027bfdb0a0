#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <type_traits>
#include <vector>

#include "engine/base/image.h"
#include "engine/cpu/common/for_items.h"
#include "engine/cpu/simd/decimate.h"
#include "engine/cpu/transform/decimation.h"
#include "engine/cpu/transform/part_transform.h"

namespace flcc::cpu {

/// The correlation of a box of voxels with a template, decimated in frequency: to(u) = sum over k
/// of scene(u + k) templ(k). A part of the scene, then of the result, and a part of the template
/// are all that is in memory beside the result.
template <class Real> class DecimatedCorrelation {
  public:
    /// A strip of a box that is asked for: `rows` rows along the slowest axis, of `columns` voxels.
    struct Rows {
        base::Index corner; ///< in the box, in its own order of axes
        std::int64_t columns;
        std::int64_t rows;
    };
    /// A box that is decimated.
    struct Source {
        base::Extents extents; ///< in its own order of axes
        /// Writes rows to `to`, each kStrip values behind the one before. Up to Decimation::kBehind
        /// values behind the last row may be written. Any worker may call it.
        std::function<void(const Rows&, Real* to, int worker)> load;
    };
    struct Target {
        base::View<Real> view;
        Real factor = 1; ///< multiplies each value
        /// Called with the final values of a strip; may be empty.
        std::function<void(const StripTarget<Real>&)> finished{};
    };
    static constexpr int kSteps = 3; ///< of a part: scene, template, result

    explicit DecimatedCorrelation(const Decimation& cut, int threads)
        : m_cut(cut), m_transform(Transform::of(m_cut.points, m_cut.fftw)),
          m_strips(Transform::strips(m_cut.points)),
          m_scene({m_cut.bufferValues<Real>() / 2, 1, 1}),
          m_templ({m_cut.bufferValues<Real>() / 2, 1, 1}),
          m_scratch({threads * m_cut.scratchValues<Real>(), 1, 1}),
          m_energies(static_cast<std::size_t>(m_cut.points.y * m_strips)) {}

    /// Does the items of a step, numbered up to kSteps * Decimation::computed(); -1 for transforms,
    /// which are not counted. False if stopped.
    using Each = std::function<bool(int step, std::int64_t count,
                                    const std::function<void(std::int64_t, int)>& work)>;

    /// Computes all parts. `again` may be empty; it is called once, when all voxels of the scene
    /// were loaded for the first time, and may then change the source and the target: where it
    /// returns true they are loaded once more. False if stopped; the target then holds anything.
    bool run(const Each& each, const Source& scene, const Source& templ, Target& target,
             const std::function<bool()>& again = {}) {
        for (int part = 0; part < m_cut.computed(); ++part) {
            if (!compute(part, each, scene, templ, target, again)) {
                return false;
            }
        }
        return true;
    }

    /// The sum of squares of the scene's voxels as they were loaded.
    [[nodiscard]] double energy() const {
        double sum = 0;
        std::for_each(m_energies.begin(), m_energies.end(), [&](double strip) { sum += strip; });
        return sum;
    }

  private:
    using Transform = PartTransform<Real>;

    /// The scratch of a worker while it makes a strip.
    struct Scratch {
        Real* strip;
        Real* voxels;
    };
    [[nodiscard]] Scratch scratchOf(int worker) {
        Real* const own = m_scratch.data() + worker * m_cut.scratchValues<Real>();
        return {own, own + 2 * m_cut.points.z * kStrip};
    }

    /// Runs a step of a part for the strips of `ys` values of y.
    template <class Work> bool forStrips(const Each& each, int step, std::int64_t ys, Work&& work) {
        return each(step, ys * m_strips, [&](std::int64_t item, int worker) {
            work(item / m_strips, item % m_strips, worker);
        });
    }

    bool compute(int part, const Each& each, const Source& scene, const Source& templ,
                 Target& target, const std::function<bool()>& again) {
        const PartKind kind = m_cut.kind(part);
        const int step = kSteps * part;
        const std::int64_t l = m_cut.points.z;
        m_turns = roots(part, m_cut.parts * l, l);
        m_roots = roots(part, m_cut.parts, m_cut.parts);
        // Parts between 0 and d / 2 stand for two.
        const double factor =
            (kind == PartKind::Complex ? 2.0 : 1.0) / static_cast<double>(m_cut.wholePoints());
        std::vector<double>* const energies = part == 0 ? &m_energies : nullptr;
        if (!take(part, each, step, scene, m_scene.data(), energies)) {
            return false;
        }
        if (part == 0 && again && again()) {
            if (!take(part, each, step, scene, m_scene.data(), energies)) {
                return false;
            }
        }
        const ForItems transforms = [&](std::int64_t count, const auto& work) {
            return each(-1, count, work);
        };
        return take(part, each, step + 1, templ, m_templ.data(), nullptr) &&
               m_transform->makeTemplate(transforms, kind, static_cast<Real>(factor),
                                         m_scratch.data(), m_templ.data()) &&
               m_transform->correlate(transforms, kind, m_templ.data(), m_scratch.data(),
                                      m_scene.data()) &&
               give(part, each, step + 2, target);
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
    bool take(int part, const Each& each, int step, const Source& source, Real* buffer,
              std::vector<double>* energies) {
        const PartKind kind = m_cut.kind(part);
        const base::Extents box = m_cut.turned(source.extents);
        return forStrips(
            each, step, m_cut.points.y, [&](std::int64_t y, std::int64_t index, int worker) {
                const std::int64_t x = index * kStrip;
                if (y >= box.y || x >= box.x) {
                    m_transform->clearStrip(kind, y, index, buffer);
                    return;
                }
                Real* const strip = scratchOf(worker).strip;
                const double energy = add(part, source, x, y, worker);
                if (energies != nullptr) {
                    (*energies)[static_cast<std::size_t>(y * m_strips + index)] = energy;
                }
                m_transform->takeStrip(kind, strip, y, index, buffer);
            });
    }

    /// Makes the strip of the part in the worker's scratch. The sum of squares of its voxels in
    /// part 0, else 0.
    double add(int part, const Source& source, std::int64_t x, std::int64_t y, int worker) {
        const PartKind kind = m_cut.kind(part);
        const std::int64_t l = m_cut.points.z;
        const base::Extents box = m_cut.turned(source.extents);
        const std::int64_t columns = std::min(kStrip, box.x - x);
        const Scratch own = scratchOf(worker);
        double energy = 0;
        std::fill_n(own.strip, Transform::stripValues(m_cut.points, kind), Real{0});
        for (std::int64_t q = 0; q * l < box.z; ++q) {
            const std::int64_t rows = std::min(l, box.z - q * l);
            source.load({m_cut.turned(base::Index{x, y, q * l}), columns, rows}, own.voxels,
                        worker);
            for (std::int64_t row = 0; columns < kStrip && row < rows; ++row) {
                std::fill(own.voxels + row * kStrip + columns, own.voxels + (row + 1) * kStrip,
                          Real{0});
            }
            if (part == 0) {
                energy += squares(own.voxels, rows * kStrip);
            }
            const Factor<Real>& factor = m_roots[static_cast<std::size_t>(q)];
            if (kind != PartKind::Complex) {
                addStrip(own.voxels, rows, factor.re, own.strip);
            } else if (rows == l) {
                addStrip(own.voxels, l, factor, own.strip);
            } else { // both beams have l elements
                std::fill(own.voxels + rows * kStrip, own.voxels + l * kStrip, Real{0});
                addStrip(own.voxels, l, factor, own.strip);
            }
        }
        turn(kind, false, own.strip);
        return energy;
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
    void turn(PartKind kind, bool conjugate, Real* strip) const {
        if (kind == PartKind::Real || (kind == PartKind::Half && m_transform->takesHalfAsReal())) {
            return;
        }
        const std::int64_t l = m_cut.points.z;
        turnStrip(m_turns.data(), l, conjugate, strip);
        if (kind == PartKind::Complex) {
            turnStrip(m_turns.data(), l, conjugate, strip + l * kStrip);
        }
    }

    /// Adds a part of the result to the target: Karas (18) for any radix.
    bool give(int part, const Each& each, int step, const Target& target) {
        const bool last = part + 1 == m_cut.computed();
        const base::Extents to = m_cut.turned(target.view.extents());
        return forStrips(each, step, to.y, [&](std::int64_t y, std::int64_t index, int worker) {
            const std::int64_t x = index * kStrip;
            if (x >= to.x) {
                return;
            }
            Real* const strip = scratchOf(worker).strip;
            m_transform->giveStrip(m_cut.kind(part), m_scene.data(), y, index, strip);
            turn(m_cut.kind(part), true, strip);
            store(part, strip, x, y, target);
            for (std::int64_t z = 0; last && target.finished && z < to.z; z += m_cut.points.z) {
                target.finished(stripOf(target, x, y, z));
            }
        });
    }

    /// Rows of the target from (x, y, z) on, as many as a part has. The slowest axis is z.
    [[nodiscard]] StripTarget<Real> stripOf(const Target& target, std::int64_t x, std::int64_t y,
                                            std::int64_t z) const {
        const base::View<Real>& to = target.view;
        const base::Extents extents = m_cut.turned(to.extents());
        const base::Index at = m_cut.turned(base::Index{x, y, z});
        return {to.row(at.y, at.z) + at.x, m_cut.slices ? to.sliceStride() : to.rowStride(),
                std::min(m_cut.points.z, extents.z - z), std::min(kStrip, extents.x - x)};
    }

    void store(int part, const Real* strip, std::int64_t x, std::int64_t y,
               const Target& target) const {
        const std::int64_t l = m_cut.points.z;
        const Real scale = target.factor;
        for (std::int64_t q = 0; q * l < m_cut.turned(target.view.extents()).z; ++q) {
            const Factor<Real>& factor = m_roots[static_cast<std::size_t>(q)];
            const StripTarget<Real> to = stripOf(target, x, y, q * l);
            if (m_cut.kind(part) == PartKind::Complex) {
                storeStrip(strip, l, Factor<Real>{factor.re * scale, -factor.im * scale}, to);
            } else {
                storeStrip(strip, factor.re * scale, part > 0, to);
            }
        }
    }

    Decimation m_cut;
    std::unique_ptr<const Transform> m_transform;
    std::int64_t m_strips;
    base::Image<Real> m_scene; ///< part of the scene, then of the result
    base::Image<Real> m_templ; ///< part of the template
    base::Image<Real> m_scratch;
    std::vector<double> m_energies;    ///< of each strip, so that threads change no bit
    std::vector<Factor<Real>> m_turns; ///< W_N^(pn) of the part, by n
    std::vector<Factor<Real>> m_roots; ///< W_d^(pq), by q
};

} // namespace flcc::cpu
