#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/simd/lines.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/scene_loader.h"
#include "engine/filter/detail/tile_tasks.h"

namespace flcc::filter::detail {

namespace {

using base::Box;
using base::Extents;
using base::Image;
using cpu::roundUp;
namespace simd = cpu::simd;

/// Extents of a buffer that holds the voxels under a tile between any two passes, with the columns
/// that SceneLoader may write behind a row. Rows begin at whole vectors.
Extents bufferExtents(const Extents& m, const Extents& tile) {
    constexpr std::int64_t kLanes = 16;
    return {roundUp(tile.x + m.x - 1, kLanes) + simd::kSlack, tile.y + m.y - 1, tile.z + m.z - 1};
}

template <class Real> struct SeparableBuffers {
    SeparableBuffers(const Extents& m, const Extents& tile, bool sums)
        : first(bufferExtents(m, tile), Real{0}), second(bufferExtents(m, tile), Real{0}) {
        if (sums) {
            total = Image<Real>(bufferExtents(m, tile), Real{0});
        }
    }
    Image<Real> first;
    Image<Real> second;
    Image<Real> total; ///< of several terms

    static std::int64_t bytes(const Extents& m, const Extents& tile, bool sums) {
        return (sums ? 3 : 2) *
               base::byteCount(bufferExtents(m, tile), static_cast<std::int64_t>(sizeof(Real)));
    }
};

/// The flipped taps of a term, rounded once, the factor in those of the last axis.
template <class Real> struct TermTaps {
    explicit TermTaps(const Term& term) {
        double factor = term.factor;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::vector<double> flipped = Kernel::flipped(term.axes[axis].taps);
            // The factor of an axis of one tap goes to the last axis that has a pass.
            passes[axis] = flipped.size() > 1;
            factor *= passes[axis] ? 1 : flipped.front();
            taps[axis].assign(flipped.begin(), flipped.end());
            exact[axis] = flipped;
        }
        for (std::size_t axis = 3; axis-- > 0;) {
            if (passes[axis]) {
                std::transform(exact[axis].begin(), exact[axis].end(), taps[axis].begin(),
                               [&](double tap) { return static_cast<Real>(tap * factor); });
                factor = 1;
                break;
            }
        }
        rest = static_cast<Real>(factor);
    }
    std::array<std::vector<Real>, 3> taps;
    std::array<std::vector<double>, 3> exact;
    std::array<bool, 3> passes{};
    [[nodiscard]] int count() const {
        return static_cast<int>(std::count(passes.begin(), passes.end(), true));
    }
    Real rest = 1; ///< of a kernel of one voxel
};

class SeparableFilter final : public FilterMethod {
  public:
    [[nodiscard]] std::string_view name() const override { return "separable"; }

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem, const Kernel&,
                                                            const method::Limits& limits,
                                                            const Shape& shape) const override {
        const Extents out = resultExtents(problem);
        const Extents& m = problem.kernel;
        Extents wanted = shape.tile;
        if (wanted.x == 0) {
            // Enough rows that the halo is small beside them, in buffers that stay in cache.
            const bool flat = out.z == 1 && m.z == 1;
            wanted = flat ? Extents{512, std::clamp<std::int64_t>(2 * m.y, 64, 256), 1}
                          : Extents{128, std::clamp<std::int64_t>(2 * m.y, 16, 64),
                                    std::clamp<std::int64_t>(2 * m.z, 16, 64)};
        }
        return {{.method = std::string(name()),
                 .tile = fitted(wanted, out),
                 .threads = limits.threads}};
    }

    [[nodiscard]] method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                          const method::Candidate& candidate,
                                          const method::CostModel& model) const override {
        if (kernel.terms().empty()) {
            return method::Refusal{"the kernel is no outer product of one line an axis (rank-one "
                                   "test); use direct or tiled"};
        }
        const bool single = problem.precision == method::Precision::Single;
        const Extents& m = problem.kernel;
        const Extents& t = candidate.tile;
        const auto terms = static_cast<double>(kernel.terms().size());
        const auto ratio = [](std::int64_t tile, std::int64_t taps) {
            return static_cast<double>(tile + taps - 1) / static_cast<double>(tile);
        };
        const double haloY = ratio(t.y, m.y);
        const double haloZ = ratio(t.z, m.z);
        const double haloX = ratio(t.x, m.x);
        // Passes along x load a vector for every product, so they reach about half of the rate.
        const double rate = model.multiplyAddsPerNs * (single ? 1 : 0.5);
        const double alongY = static_cast<double>(m.y) * haloX;
        const double alongZ = m.z > 1 ? static_cast<double>(m.z) * haloX * haloY : 0;
        const double products = 2 * static_cast<double>(m.x) + 1.3 * (alongY + alongZ);
        const double passes = 1 + haloX + (m.z > 1 ? haloX * haloY : 0);
        const double voxels = resultVoxels(problem);
        method::Prediction prediction;
        prediction.operations = 2 * voxels * terms * (static_cast<double>(m.x) + alongY + alongZ);
        prediction.ms =
            1e-6 * voxels *
            (terms * (products / rate + passes * 0.15 + kLoadNs * haloX * haloY * haloZ) +
             kStoreNs) /
            model.speedUp(candidate.threads);
        const bool sums = kernel.terms().size() > 1;
        prediction.hostBytes =
            resultBytes(problem) + markBytes(problem) +
            candidate.threads * (single ? SeparableBuffers<float>::bytes(m, t, sums)
                                        : SeparableBuffers<double>::bytes(m, t, sums));
        prediction.errorBound = bound(problem, kernel);
        prediction.tilesInFlight = candidate.threads;
        return prediction;
    }

    [[nodiscard]] Outcome run(const Task<float>& task) const override { return compute(task); }
    [[nodiscard]] Outcome run(const Task<double>& task) const override { return compute(task); }

  private:
    static double bound(const Problem& problem, const Kernel& kernel) {
        const Extents& m = problem.kernel;
        // Roundings of a product in each pass, of the taps of each axis, and of the sum of terms.
        const auto chain = static_cast<double>(
            simd::directChain({m.x, 1, 1}) + simd::directChain({1, m.y, 1}) +
            simd::directChain({1, m.z, 1}) + 3 + static_cast<std::int64_t>(kernel.terms().size()));
        return ((chain + 3) * unitOf(problem.precision) * kernel.sumOfMagnitudes() +
                kernel.residualSum()) /
                   kernel.divisor() +
               roundingBound(problem, kernel);
    }

    /// Both taps and sums are integers that fit.
    static bool isExact(const Problem& problem, const Kernel& kernel, double largest) {
        const auto whole = [](double tap) { return tap == std::floor(tap); };
        return sumsAreExact(problem, kernel, largest) &&
               std::all_of(kernel.terms().begin(), kernel.terms().end(), [&](const Term& term) {
                   return whole(term.factor) &&
                          std::all_of(
                              term.axes.begin(), term.axes.end(), [&](const AxisFilter& axis) {
                                  return std::all_of(axis.taps.begin(), axis.taps.end(), whole);
                              });
               });
    }

    template <class Real> Outcome compute(const Task<Real>& task) const {
        const Extents& m = task.problem.kernel;
        std::vector<TermTaps<Real>> terms;
        for (const Term& term : task.kernel.terms()) {
            terms.emplace_back(term);
        }
        const SceneLoader<Real> loader(task.scene, task.problem.border);
        const base::Index first = task.first();
        const bool sums = terms.size() > 1;
        const bool asIs = !sums && task.kernel.divisor() == 1; // the last pass makes the result
        Outcome outcome = runTiles<SeparableBuffers<Real>>(
            task, cpu::TileGrid(task.to.extents(), task.candidate.tile),
            [&](const Box& box, SeparableBuffers<Real>& own, Outcome& found) {
                const simd::VoxelBox<Real> result{task.to.row(box.corner.y, box.corner.z) +
                                                      box.corner.x,
                                                  task.to.rowStride(), task.to.sliceStride()};
                for (std::size_t i = 0; i < terms.size(); ++i) {
                    found.join(
                        loader.load(cpu::footprint(shifted(box, first), m), 1, boxOf(own.first)));
                    if (asIs && terms[i].count() > 0) {
                        (void)passes(terms[i], box.extents, own, &result);
                        continue;
                    }
                    const simd::VoxelBox<Real> part =
                        passes<Real>(terms[i], box.extents, own, nullptr);
                    if (!sums) {
                        storeTile(part, box, task.kernel.divisor(), 1, task.to);
                    } else {
                        addTo(boxOf(own.total), part, box.extents, i == 0);
                    }
                }
                if (sums) {
                    storeTile(boxOf(own.total), box, task.kernel.divisor(), 1, task.to);
                }
            },
            m, task.candidate.tile, sums);
        outcome.bound = isExact(task.problem, task.kernel, outcome.largest)
                            ? divisionBound(task.problem, task.kernel, outcome.largest)
                            : bound(task.problem, task.kernel) * outcome.largest;
        outcome.local = outcome.largest > 0 ? outcome.bound / outcome.largest : 0;
        return outcome;
    }

    /// Filters what was loaded into `own.first`. The last pass writes to `result`, or to a buffer
    /// if that is null. Returns the box that was written last.
    template <class Real>
    static simd::VoxelBox<Real> passes(const TermTaps<Real>& term, const Extents& out,
                                       SeparableBuffers<Real>& own,
                                       const simd::VoxelBox<Real>* result) {
        const simd::VoxelBox<Real> from = simd::filterAxes(
            term.taps, out, boxOf(own.first), boxOf(own.second), boxOf(own.first), result);
        if (term.rest != 1) {
            for (std::int64_t z = 0; z < out.z; ++z) {
                for (std::int64_t y = 0; y < out.y; ++y) {
                    Real* const row = from.data + z * from.sliceStride + y * from.rowStride;
                    for (std::int64_t x = 0; x < out.x; ++x) {
                        row[x] *= term.rest;
                    }
                }
            }
        }
        return from;
    }

    template <class Real>
    static void addTo(const simd::VoxelBox<Real>& total, const simd::VoxelBox<Real>& part,
                      const Extents& out, bool first) {
        for (std::int64_t z = 0; z < out.z; ++z) {
            for (std::int64_t y = 0; y < out.y; ++y) {
                Real* const to = total.data + z * total.sliceStride + y * total.rowStride;
                const Real* const from = part.data + z * part.sliceStride + y * part.rowStride;
                for (std::int64_t x = 0; x < out.x; ++x) {
                    to[x] = first ? from[x] : to[x] + from[x];
                }
            }
        }
    }
};

} // namespace

const FilterMethod& separableFilter() {
    static const SeparableFilter kMethod;
    return kMethod;
}

} // namespace flcc::filter::detail
