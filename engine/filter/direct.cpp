#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/scene_loader.h"
#include "engine/filter/detail/tile_tasks.h"

namespace flcc::filter::detail {

namespace {

using base::Box;
using base::Extents;
using base::Image;
namespace simd = cpu::simd;

/// The voxels under a tile and its results, rounded up to whole register blocks.
template <class Real> struct DirectBuffers {
    DirectBuffers(const Extents& m, const Extents& tile)
        : voxels(cpu::directInput(m, tile), Real{0}), results(cpu::directOutput(tile), Real{0}) {}
    Image<Real> voxels;
    Image<Real> results;

    static std::int64_t bytes(const Extents& m, const Extents& tile) {
        constexpr auto kSize = static_cast<std::int64_t>(sizeof(Real));
        return base::byteCount(cpu::directInput(m, tile), kSize) +
               base::byteCount(cpu::directOutput(tile), kSize);
    }
};

class DirectFilter final : public FilterMethod {
  public:
    [[nodiscard]] std::string_view name() const override { return "direct"; }
    [[nodiscard]] bool byDefinition() const override { return true; }

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem, const Kernel&,
                                                            const method::Limits& limits,
                                                            const Shape& shape) const override {
        const Extents out = resultExtents(problem);
        const bool flat = out.z == 1 && problem.kernel.z == 1;
        const Extents usual = flat ? Extents{512, 64, 1} : Extents{128, 32, 16};
        const Extents wanted = shape.tile.x > 0 ? shape.tile : usual;
        return {{.method = std::string(name()),
                 .tile = fitted(wanted, out),
                 .threads = limits.threads}};
    }

    [[nodiscard]] method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                          const method::Candidate& candidate,
                                          const method::CostModel& model) const override {
        if (!kernel.hasWeights()) {
            return method::Refusal{
                "the kernel has too many voxels to be used as a whole; its parts "
                "are applied axis by axis"};
        }
        const bool single = problem.precision == method::Precision::Single;
        const double voxels = resultVoxels(problem);
        const double weights = static_cast<double>(base::voxelCount(problem.kernel));
        method::Prediction prediction;
        prediction.operations = 2 * voxels * weights;
        const double rate = model.multiplyAddsPerNs * (single ? 1 : 0.5);
        const double halo = static_cast<double>(base::voxelCount(
                                cpu::footprint({{}, candidate.tile}, problem.kernel).extents)) /
                            static_cast<double>(base::voxelCount(candidate.tile));
        const double rows = static_cast<double>(problem.kernel.y * problem.kernel.z);
        prediction.ms =
            1e-6 * voxels *
            (weights / rate + rows * 2 * model.flushVoxelNs + kLoadNs * halo + kStoreNs) /
            model.speedUp(candidate.threads);
        prediction.hostBytes =
            resultBytes(problem) + markBytes(problem) + weightBytes(problem) +
            candidate.threads *
                (single ? DirectBuffers<float>::bytes(problem.kernel, candidate.tile)
                        : DirectBuffers<double>::bytes(problem.kernel, candidate.tile));
        prediction.errorBound = bound(problem, kernel);
        prediction.tilesInFlight = candidate.threads;
        return prediction;
    }

    [[nodiscard]] Outcome run(const Task<float>& task) const override { return compute(task); }
    [[nodiscard]] Outcome run(const Task<double>& task) const override { return compute(task); }

  private:
    static std::int64_t weightBytes(const Problem& problem) {
        return base::byteCount(problem.kernel, 8 + bytesOf(problem.precision));
    }
    static double bound(const Problem& problem, const Kernel& kernel) {
        const auto chain = static_cast<double>(simd::directChain(problem.kernel));
        return (chain + 1) * unitOf(problem.precision) * kernel.sumOfMagnitudes() /
                   kernel.divisor() +
               roundingBound(problem, kernel);
    }

    template <class Real> Outcome compute(const Task<Real>& task) const {
        const Extents& m = task.problem.kernel;
        Image<Real> weights(m);
        {
            const Image<double> exact = task.kernel.flippedWeights();
            std::transform(exact.data(), exact.data() + exact.count(), weights.data(),
                           [](double weight) { return static_cast<Real>(weight); });
        }
        const SceneLoader<Real> loader(task.scene, task.problem.border);
        const base::Index first = task.first();
        Outcome outcome = runTiles<DirectBuffers<Real>>(
            task, cpu::TileGrid(task.to.extents(), task.candidate.tile),
            [&](const Box& box, DirectBuffers<Real>& own, Outcome& found) {
                const simd::VoxelBox<Real> x = boxOf(own.voxels);
                const simd::VoxelBox<Real> results = boxOf(own.results);
                found.join(loader.load(cpu::footprint(shifted(box, first), m), 1, x));
                simd::correlateDirect(x, weights.data(), m, box.extents, results);
                storeTile(results, box, task.kernel.divisor(), 1, task.to);
            },
            m, task.candidate.tile);
        outcome.bound = sumsAreExact(task.problem, task.kernel, outcome.largest)
                            ? divisionBound(task.problem, task.kernel, outcome.largest)
                            : bound(task.problem, task.kernel) * outcome.largest;
        outcome.local = outcome.largest > 0 ? outcome.bound / outcome.largest : 0;
        return outcome;
    }
};

} // namespace

const FilterMethod& directFilter() {
    static const DirectFilter kMethod;
    return kMethod;
}

} // namespace flcc::filter::detail
