#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/cpu/transform/decimated_correlation.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/scene_loader.h"

/// How method dif computes.
namespace flcc::filter::detail {

/// True if scene, kernel or result is a volume, so that z is the slowest axis and not y.
[[nodiscard]] inline bool hasSlices(const Problem& problem) {
    return resultExtents(problem).z > 1 || problem.kernel.z > 1;
}

template <class Real> class DifRun {
  public:
    explicit DifRun(const Task<Real>& task)
        : m_task(task), m_cut(cpu::Decimation::of(task.candidate, hasSlices(task.problem))),
          m_scale(std::exp2(-std::ilogb(task.kernel.norm()))),
          m_weights(flipped(task.kernel, m_scale)),
          m_found(static_cast<std::size_t>(task.pool.threads())) {}

    Outcome run() {
        const base::Extents to = m_task.to.extents();
        const base::Extents& m = m_task.problem.kernel;
        Correlation correlation(m_cut, m_task.pool.threads());
        Target target{m_task.to, static_cast<Real>(1 / m_scale), divide()};
        Outcome outcome;
        outcome.cancelled = !correlation.run(
            steps(), {{to.x + m.x - 1, to.y + m.y - 1, to.z + m.z - 1}, loadScene()},
            {m, loadKernel()}, target, [&] {
                const bool again = needsScale();
                target.factor = static_cast<Real>(1 / (m_sceneScale * m_scale));
                return again;
            });
        if (outcome.cancelled) {
            return outcome;
        }
        for (const Loaded& found : m_found) {
            outcome.join(found);
        }
        const Kernel& kernel = m_task.kernel;
        const double spread = m_cut.error(unitOf(m_task.problem.precision)) * kernel.norm() *
                              std::sqrt(correlation.energy()) / m_sceneScale / kernel.divisor();
        outcome.spread.push_back({{{}, to}, spread});
        outcome.local = roundingBound(m_task.problem, kernel);
        outcome.bound = spread + outcome.local * outcome.largest;
        return outcome;
    }

  private:
    using Correlation = cpu::DecimatedCorrelation<Real>;
    using Rows = typename Correlation::Rows;
    using Target = typename Correlation::Target;

    static base::Image<Real> flipped(const Kernel& kernel, double scale) {
        const base::Image<double> weights = kernel.flippedWeights();
        base::Image<Real> scaled(weights.extents());
        std::transform(weights.data(), weights.data() + weights.count(), scaled.data(),
                       [scale](double weight) { return static_cast<Real>(weight * scale); });
        return scaled;
    }

    [[nodiscard]] typename Correlation::Each steps() const {
        return [this](int step, std::int64_t count,
                      const std::function<void(std::int64_t, int)>& work) {
            return m_task.pool.run(
                count, work, m_task.stop,
                step < 0 ? base::TilePool::Progress{}
                         : m_task.phase(count, step, Correlation::kSteps * m_cut.computed()));
        };
    }

    [[nodiscard]] base::Box boxOf(const Rows& rows) const {
        return {rows.corner, m_cut.turned(base::Extents{rows.columns, 1, rows.rows})};
    }
    /// Rows of a strip along the axis that is the slowest one.
    [[nodiscard]] cpu::simd::VoxelBox<Real> stripAt(Real* to) const {
        return {to, cpu::kStrip, cpu::kStrip};
    }

    [[nodiscard]] auto loadScene() {
        return [this, loader = SceneLoader<Real>(m_task.scene, m_task.problem.border)](
                   const Rows& rows, Real* to, int worker) {
            base::Box box = boxOf(rows);
            const base::Index first = firstVoxel(m_task.problem);
            box.corner = {box.corner.x + first.x, box.corner.y + first.y, box.corner.z + first.z};
            const Loaded loaded = loader.load(box, m_sceneScale, stripAt(to));
            Loaded& found = m_found[static_cast<std::size_t>(worker)];
            found.largest = std::max(found.largest, loaded.largest);
            found.nonFinite += loaded.nonFinite;
        };
    }
    [[nodiscard]] auto loadKernel() {
        return [this, loader = SceneLoader<Real>(base::View<const Real>(m_weights.view()),
                                                 Border::Zero)](const Rows& rows, Real* to, int) {
            (void)loader.load(boxOf(rows), 1, stripAt(to));
        };
    }

    /// Products and their sums stay far from overflow and underflow.
    bool needsScale() {
        constexpr double kUsual = 0x1p40;
        double largest = 0;
        for (const Loaded& found : m_found) {
            largest = std::max(largest, found.largest);
        }
        if (largest == 0 || (largest <= kUsual && largest >= 1 / kUsual)) {
            return false;
        }
        m_sceneScale = std::exp2(-std::ilogb(largest));
        m_found.assign(m_found.size(), {});
        return true;
    }

    [[nodiscard]] std::function<void(const cpu::StripTarget<Real>&)> divide() const {
        if (m_task.kernel.divisor() == 1) {
            return {};
        }
        return [by = static_cast<Real>(m_task.kernel.divisor())](const cpu::StripTarget<Real>& to) {
            for (std::int64_t row = 0; row < to.rows; ++row) {
                Real* const values = to.to + row * to.stride;
                std::transform(values, values + to.columns, values,
                               [by](Real value) { return value / by; });
            }
        };
    }

    const Task<Real>& m_task;
    cpu::Decimation m_cut;
    double m_scale;          ///< power of two that brings the norm of the kernel to 1 .. 2
    double m_sceneScale = 1; ///< power of two that brings large or small scenes near 1
    base::Image<Real> m_weights;
    std::vector<Loaded> m_found; ///< of each worker
};

} // namespace flcc::filter::detail
