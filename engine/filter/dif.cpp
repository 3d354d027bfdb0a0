#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/cpu/transform/decimation.h"
#include "engine/filter/detail/dif_run.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/local_check.h"
#include "engine/filter/planner.h"

namespace flcc::filter {

namespace detail {

namespace {

using base::Extents;

class DifFilter final : public FilterMethod {
  public:
    [[nodiscard]] std::string_view name() const override { return "dif"; }

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem, const Kernel&,
                                                            const method::Limits& limits,
                                                            const Shape& shape) const override {
        const Extents needed = neededPoints(problem);
        if (shape.parts > needed.z) {
            throw base::Error(
                base::ErrorCode::Problem,
                fmt::format("{} parts are more than the {} points of the slowest axis; {}",
                            shape.parts, needed.z,
                            needed.z < 2 ? "use --method fourier"
                                         : fmt::format("use --parts from 2 to {}", needed.z)));
        }
        return cpu::Decimation::candidates(name(), needed, hasSlices(problem), shape.parts,
                                           shape.tile, limits);
    }

    [[nodiscard]] method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                          const method::Candidate& candidate,
                                          const method::CostModel& model) const override {
        if (!kernel.hasWeights()) {
            return method::Refusal{"the kernel has too many voxels to be transformed"};
        }
        const Extents needed = neededPoints(problem);
        const cpu::Decimation cut = cpu::Decimation::of(candidate, hasSlices(problem));
        if (std::string reason = cut.refusal(needed); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        method::Prediction prediction;
        const bool single = problem.precision == method::Precision::Single;
        const auto seen = static_cast<double>(base::voxelCount(needed));
        const cpu::Decimation::Work work =
            cut.work(seen, static_cast<double>(base::voxelCount(problem.kernel)),
                     resultVoxels(problem), model);
        const double speedUp = model.speedUp(candidate.threads) / (single ? 1 : 2);
        prediction.operations = work.operations;
        prediction.setupMs = 1e-6 * work.templ / speedUp;
        prediction.ms = prediction.setupMs + 1e-6 * (work.scene / speedUp + work.steps);
        prediction.hostBytes = single ? hostBytes<float>(problem, kernel, cut, candidate.threads)
                                      : hostBytes<double>(problem, kernel, cut, candidate.threads);
        prediction.errorBound = cut.error(unitOf(problem.precision)) * kernel.norm() *
                                    std::sqrt(seen) / kernel.divisor() +
                                roundingBound(problem, kernel);
        // Plans of parts are estimates, or come from wisdom.
        prediction.fftPlanning = cut.fftw ? "estimate" : "own";
        prediction.tilesInFlight = 1;
        prediction.paddingWaste =
            1 - resultVoxels(problem) / static_cast<double>(cut.wholePoints());
        return prediction;
    }

    [[nodiscard]] Outcome run(const Task<float>& task) const override {
        return DifRun<float>(task).run();
    }
    [[nodiscard]] Outcome run(const Task<double>& task) const override {
        return DifRun<double>(task).run();
    }

  private:
    /// Points that a circular convolution needs, the slowest axis as z.
    static Extents neededPoints(const Problem& problem) {
        const Extents& m = problem.kernel;
        const Extents out = resultExtents(problem);
        return cpu::Decimation::turned({out.x + m.x - 1, out.y + m.y - 1, out.z + m.z - 1},
                                       hasSlices(problem));
    }

    template <class Real>
    static std::int64_t hostBytes(const Problem& problem, const Kernel& kernel,
                                  const cpu::Decimation& cut, int threads) {
        // The weights in double end before the buffers are made.
        return resultBytes(problem) + markBytes(problem) +
               std::max(base::byteCount(problem.kernel, static_cast<std::int64_t>(sizeof(Real))) +
                            std::max(base::byteCount(problem.kernel, 8), cut.bytes<Real>(threads)),
                        checkBytes(problem, kernel, threads));
    }
};

} // namespace

const FilterMethod& difFilter() {
    static const DifFilter kMethod;
    return kMethod;
}

} // namespace detail

std::vector<Decomposition> decompositions(const Problem& problem, int parts) {
    const base::Extents& n = problem.scene;
    const base::Extents& m = problem.kernel;
    const double flat = n.z == 1 && m.z == 1 ? 1 : static_cast<double>(n.z + m.z);
    const double values = static_cast<double>(n.x + m.x) * static_cast<double>(n.y + m.y) * flat;
    const double d = parts;
    const double bytes = static_cast<double>(detail::bytesOf(problem.precision));
    const auto row = [&](std::string name, double operations, double transfers, double memory) {
        return Decomposition{std::move(name), operations, transfers, memory, memory * bytes};
    };
    const double memory = (parts == 2 ? 2 : 4) * values / d;
    return {row(std::string(detail::difFilter().name()), values * (4.5 * std::log2(values) + 1),
                3 * values, memory),
            row("dit", values * (4.5 * std::log2(values) + 2), (d + 1) * values, memory),
            row("tiling", d * values * (4.5 * std::log2(values / d) + 1), (d + 1) * values,
                values / d)};
}

} // namespace flcc::filter
