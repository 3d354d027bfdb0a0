#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/cpu/score/tile_run.h"
#include "engine/filter/detail/recursive_runs.h"
#include "engine/filter/detail/scene_loader.h"
#include "engine/filter/detail/tile_tasks.h"
#include "engine/filter/recursive.h"

namespace flcc::filter::detail {

namespace {

using base::Extents;
using base::Image;

constexpr std::int64_t kRows = 16;    ///< rows of an item of the pass along x
constexpr std::int64_t kColumns = 64; ///< lines of an item of other passes
/// Sigmas below RecursiveGaussian::kLeastSigma have taps of at most this radius.
constexpr std::int64_t kMostRadius = 5;

std::int64_t longestLine(const Problem& problem) {
    const Extents& n = problem.scene;
    return std::max({n.x, n.y, n.z});
}

std::int64_t scratchValues(const Problem& problem) {
    return static_cast<std::int64_t>(recursiveScratch(longestLine(problem))) +
           kRows * 2 * kMostRadius;
}

template <class Real> struct GaussianBuffers {
    GaussianBuffers(const Problem& problem)
        : scratch({scratchValues(problem), 1, 1}),
          rows({problem.scene.x + cpu::simd::kSlack, kRows, 1}, Real{0}) {}
    Image<double> scratch;
    Image<Real> rows;

    static std::int64_t bytes(const Problem& problem) {
        return 8 * scratchValues(problem) + static_cast<std::int64_t>(sizeof(Real)) * kRows *
                                                (problem.scene.x + cpu::simd::kSlack);
    }
};

/// The lines of a pass: voxel v of line i lies at v * step + i * across.
struct Lines {
    std::int64_t step = 1;
    std::int64_t across = 1;
    std::int64_t length = 0;
    std::int64_t count = 0;
};

/// The filter of one axis of one term.
class AxisPass {
  public:
    explicit AxisPass(const AxisFilter& axis) {
        if (axis.sigma >= RecursiveGaussian::kLeastSigma) {
            m_filter.emplace(axis.order, axis.sigma);
        } else {
            const std::int64_t radius = std::min(gaussianRadius(axis.sigma), kMostRadius);
            m_taps = gaussianTaps(axis.order, axis.sigma, radius);
        }
    }

    template <class Real>
    void run(Border border, const Real* from, const Lines& fromLines, Real* to,
             const Lines& toLines, bool add, double factor, double* scratch) const {
        const std::int64_t n = fromLines.length;
        if (!m_filter) {
            byTaps(border, from, fromLines, to, toLines, add, factor, scratch);
        } else if (fromLines.across == 1) {
            filterLines(*m_filter, border, from, fromLines.step, to, toLines.step, n,
                        fromLines.count, add, scratch);
        } else {
            filterRows(*m_filter, border, from, fromLines.across, to, toLines.across, n,
                       fromLines.count, add, scratch);
        }
    }

    [[nodiscard]] const std::optional<RecursiveGaussian>& filter() const { return m_filter; }

  private:
    template <class Real>
    void byTaps(Border border, const Real* from, const Lines& f, Real* to, const Lines& t, bool add,
                double factor, double* scratch) const {
        const auto radius = static_cast<std::int64_t>(m_taps.size() / 2);
        for (std::int64_t first = 0; first < f.count; first += kRows) {
            const std::int64_t count = std::min(kRows, f.count - first);
            for (std::int64_t v = -radius; v < f.length + radius; ++v) {
                const std::int64_t at = borderIndex(border, v, f.length);
                double* const row = scratch + (v + radius) * kRows;
                for (std::int64_t i = 0; i < count; ++i) {
                    row[i] = at < 0
                                 ? 0
                                 : static_cast<double>(from[at * f.step + (first + i) * f.across]);
                }
            }
            for (std::int64_t v = 0; v < f.length; ++v) {
                std::array<double, kRows> sums{};
                for (std::size_t k = 0; k < m_taps.size(); ++k) {
                    // A convolution: tap k meets the voxel that lies k behind the last.
                    const double* const row =
                        scratch + (v + 2 * radius - static_cast<std::int64_t>(k)) * kRows;
                    for (std::size_t i = 0; i < sums.size(); ++i) {
                        sums[i] += m_taps[k] * row[i];
                    }
                }
                for (std::int64_t i = 0; i < count; ++i) {
                    Real& result = to[v * t.step + (first + i) * t.across];
                    const double sum = factor * sums[static_cast<std::size_t>(i)];
                    result = static_cast<Real>(add ? static_cast<double>(result) + sum : sum);
                }
            }
        }
    }

    std::optional<RecursiveGaussian> m_filter;
    std::vector<double> m_taps;
};

template <class Real> class Passes {
  public:
    explicit Passes(const Task<Real>& task)
        : m_task(task), m_n(task.problem.scene), m_volume(m_n.z > 1),
          m_loader(task.scene, task.problem.border), m_buffers(task.pool.threads(), task.problem),
          m_found(static_cast<std::size_t>(task.pool.threads())) {}

    Outcome run() {
        const std::vector<Term>& terms = m_task.kernel.terms();
        Image<Real> part;
        if (terms.size() > 1) {
            part = Image<Real>(m_n);
        }
        m_phases = static_cast<int>(terms.size()) * (m_volume ? 3 : 2);
        Outcome outcome;
        for (std::size_t i = 0; i < terms.size() && !outcome.cancelled; ++i) {
            outcome.cancelled = !term(terms[i], i == 0 ? m_task.to : part.view(), i > 0);
        }
        for (const Outcome& one : m_found) {
            outcome.join(one);
        }
        return outcome;
    }

  private:
    /// Filters along all axes; `add`: adds the result to the task's.
    bool term(const Term& term, const base::View<Real>& to, bool add) {
        const std::int64_t groups = (m_n.x + kColumns - 1) / kColumns;
        const AxisPass x(term.axes[0]);
        const std::int64_t items = (m_n.y + kRows - 1) / kRows * m_n.z;
        const std::int64_t itemsOfSlice = (m_n.y + kRows - 1) / kRows;
        const bool negative = term.factor < 0;
        if (!each(items, [&](std::int64_t item, int worker) {
                GaussianBuffers<Real>& own = m_buffers.of(worker);
                const std::int64_t z = item / itemsOfSlice;
                const std::int64_t y = item % itemsOfSlice * kRows;
                const std::int64_t count = std::min(kRows, m_n.y - y);
                m_found[static_cast<std::size_t>(worker)].join(
                    m_loader.load({{0, y, z}, {m_n.x, count, 1}}, 1, boxOf(own.rows)));
                if (negative) {
                    negate(own.rows, count);
                }
                x.run<Real>(m_task.problem.border, own.rows.data(),
                            {1, own.rows.extents().x, m_n.x, count}, to.row(y, z),
                            {1, to.rowStride(), m_n.x, count}, false, 1, own.scratch.data());
            })) {
            return false;
        }
        const AxisPass y(term.axes[1]);
        const auto across = [&](const AxisPass& pass, bool last, std::int64_t others,
                                std::int64_t stride, std::int64_t length, auto&& origin) {
            return each(groups * others, [&](std::int64_t item, int worker) {
                const std::int64_t column = item % groups * kColumns;
                const std::int64_t other = item / groups;
                Real* const from = origin(to, other) + column;
                Real* const into = last && add ? origin(m_task.to, other) + column : from;
                const Lines lines{stride, 1, length, std::min(kColumns, m_n.x - column)};
                pass.run<Real>(m_task.problem.border, from, lines, into, lines, last && add, 1,
                               m_buffers.of(worker).scratch.data());
            });
        };
        if (!across(y, !m_volume, m_n.z, to.rowStride(), m_n.y,
                    [](const base::View<Real>& view, std::int64_t z) { return view.row(0, z); })) {
            return false;
        }
        if (!m_volume) {
            return true;
        }
        const AxisPass z(term.axes[2]);
        return across(
            z, true, m_n.y, to.sliceStride(), m_n.z,
            [](const base::View<Real>& view, std::int64_t row) { return view.row(row, 0); });
    }

    template <class Work> bool each(std::int64_t items, Work&& work) {
        return m_task.pool.run(items, work, m_task.stop, m_task.phase(items, m_phase++, m_phases));
    }

    void negate(Image<Real>& rows, std::int64_t count) const {
        for (std::int64_t y = 0; y < count; ++y) {
            Real* const row = rows.view().row(y, 0);
            for (std::int64_t i = 0; i < m_n.x; ++i) {
                row[i] = -row[i];
            }
        }
    }

    const Task<Real>& m_task;
    Extents m_n;
    bool m_volume;
    SceneLoader<Real> m_loader;
    cpu::ThreadBuffers<GaussianBuffers<Real>> m_buffers;
    std::vector<Outcome> m_found;
    int m_phase = 0;
    int m_phases = 1;
};

/// What bounds of an axis are made of: sums of |taps|, |h| and |h - taps|, and rounding.
struct AxisSums {
    double taps = 0;
    double response = 0;
    double deviation = 0;
    double tail = 0;     ///< sum |h| where there are no taps
    double running = 0;  ///< roundings of the recursion, which it carries on
    double rounding = 0; ///< all roundings
};

/// The response at 0 .. reach, by the recursion: its closed form takes three functions a value,
/// which for a large sigma is longer than a pass.
std::vector<double> responsesOf(const RecursiveGaussian& filter, std::int64_t reach) {
    std::vector<double> responses(static_cast<std::size_t>(reach + 1));
    for (const RecursiveSection& section : filter.sections()) {
        double before = 0;
        double last = 0;
        for (std::size_t n = 0; n < responses.size(); ++n) {
            const double input = n == 0 ? section.b0 : n == 1 ? section.b1 : 0;
            const double next = input - section.a1 * last - section.a2 * before;
            responses[n] += next;
            before = last;
            last = next;
        }
    }
    return responses;
}

AxisSums sumsOf(const AxisFilter& axis, double unit) {
    AxisSums sums;
    const AxisPass pass(axis);
    const auto radius = static_cast<std::int64_t>(axis.taps.size() / 2);
    const auto tap = [&](std::int64_t n) {
        return std::abs(n) > radius ? 0.0 : axis.taps[static_cast<std::size_t>(n + radius)];
    };
    if (!pass.filter()) {
        for (const double value : axis.taps) {
            sums.taps += std::abs(value);
        }
        sums.response = sums.taps;
        sums.rounding = static_cast<double>(axis.taps.size()) * 0x1p-53 * sums.taps;
    } else {
        const std::int64_t reach = std::max(radius, pass.filter()->memory());
        const std::vector<double> responses = responsesOf(*pass.filter(), reach);
        for (std::int64_t n = -reach; n <= reach; ++n) {
            const double one = responses[static_cast<std::size_t>(std::abs(n))];
            const double response = pass.filter()->order() == 1 && n < 0 ? -one : one;
            sums.taps += std::abs(tap(n));
            sums.response += std::abs(response);
            sums.deviation += std::abs(response - tap(n));
            sums.tail += std::abs(n) > radius ? std::abs(response) : 0;
        }
        sums.running = sums.rounding = pass.filter()->roundingBound();
    }
    // The line is stored in the precision of the result, and begins with what its warm-up left out.
    sums.rounding += (1 + 0x1p-8) * unit * sums.response;
    return sums;
}

} // namespace

std::string GaussianRun::refusal(const Problem& problem, const Kernel& kernel) {
    if (problem.extent != method::Extent::Same) {
        return "recursive Gaussians give --extent same; use separable or tiled for valid and full";
    }
    for (const Term& term : kernel.terms()) {
        for (const AxisFilter& axis : term.axes) {
            if (axis.sigma > RecursiveGaussian::kMostSigma) {
                return fmt::format("sigma {} is above {} voxels, the largest of recursive filters",
                                   axis.sigma, RecursiveGaussian::kMostSigma);
            }
        }
    }
    return {};
}

std::int64_t GaussianRun::bytes(const Problem& problem, const Kernel& kernel, int threads) {
    const bool single = problem.precision == method::Precision::Single;
    return threads * (single ? GaussianBuffers<float>::bytes(problem)
                             : GaussianBuffers<double>::bytes(problem)) +
           (kernel.terms().size() > 1 ? base::byteCount(problem.scene, bytesOf(problem.precision))
                                      : 0);
}

GaussianErrors GaussianRun::errors(const Problem& problem, const Kernel& kernel) {
    const double unit = unitOf(problem.precision);
    double bound = 0;
    double spread = 0;
    double size = 0;
    for (const Term& term : kernel.terms()) {
        double largest = 1;   // of the voxels that enter a pass
        double reference = 1; // sum |taps| of the axes before
        double error = 0;     // of what has been filtered so far
        double far = 0;       // its part that comes from beyond the taps
        for (const AxisFilter& axis : term.axes) {
            if (axis.kind != AxisFilter::Kind::Gaussian) {
                continue;
            }
            const AxisSums sums = sumsOf(axis, unit);
            far = far * sums.response + (largest + error) * (sums.tail + sums.running);
            error = error * sums.response + reference * sums.deviation +
                    (largest + error) * sums.rounding;
            largest *= sums.response;
            reference *= sums.taps;
        }
        bound += error * std::abs(term.factor);
        spread += far * std::abs(term.factor);
        size += largest * std::abs(term.factor);
    }
    return {bound + unit * (static_cast<double>(kernel.terms().size()) + 1) * size, spread};
}

template <class Real> Outcome GaussianRun::run(const Task<Real>& task) {
    Outcome outcome = Passes<Real>(task).run();
    const GaussianErrors errors = GaussianRun::errors(task.problem, task.kernel);
    outcome.bound = errors.bound * outcome.largest;
    outcome.local = errors.bound;
    outcome.spread.push_back({{{}, task.to.extents()}, errors.spread * outcome.largest});
    outcome.mostSpread = kMostTail;
    return outcome;
}

template Outcome GaussianRun::run(const Task<float>&);
template Outcome GaussianRun::run(const Task<double>&);

} // namespace flcc::filter::detail
