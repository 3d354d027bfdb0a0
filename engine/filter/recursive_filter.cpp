#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/filter/detail/local_check.h"
#include "engine/filter/detail/recursive_runs.h"
#include "engine/filter/detail/tile_tasks.h"
#include "engine/filter/recursive.h"

namespace flcc::filter::detail {

namespace {

using base::Extents;

// Nanoseconds of one thread for a voxel of a pass of a recursive Gaussian along x, where lines are
// turned, and across; of a voxel of a box. Measured as those of tile_tasks.h.
constexpr double kRowNs = 2.2;
constexpr double kLineNs = 1.6;
constexpr double kBoxNs = 0.6;
constexpr double kBoxStepNs = 0.15;

/// True if every axis that is filtered is of `kind`.
bool isAll(const Kernel& kernel, AxisFilter::Kind kind) {
    return !kernel.terms().empty() &&
           std::all_of(kernel.terms().begin(), kernel.terms().end(), [&](const Term& term) {
               return std::all_of(term.axes.begin(), term.axes.end(), [&](const AxisFilter& axis) {
                   return axis.kind == kind || (axis.taps.size() == 1 && axis.taps.front() == 1 &&
                                                term.axes[0].kind == kind);
               });
           });
}

bool isBox(const Kernel& kernel) { return isAll(kernel, AxisFilter::Kind::Box); }
bool isGaussian(const Kernel& kernel) { return isAll(kernel, AxisFilter::Kind::Gaussian); }

class RecursiveFilter final : public FilterMethod {
  public:
    [[nodiscard]] std::string_view name() const override { return "recursive"; }

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem,
                                                            const Kernel& kernel,
                                                            const method::Limits& limits,
                                                            const Shape&) const override {
        return {{.method = std::string(name()),
                 .tile = isBox(kernel) ? BoxRun::tile(problem) : problem.scene,
                 .threads = limits.threads}};
    }

    [[nodiscard]] method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                          const method::Candidate& candidate,
                                          const method::CostModel& model) const override {
        const Extents& m = problem.kernel;
        const double voxels = resultVoxels(problem);
        method::Prediction prediction;
        prediction.hostBytes = resultBytes(problem) + markBytes(problem);
        if (isBox(kernel)) {
            const Extents tile = BoxRun::tile(problem);
            if (candidate.tile != tile) {
                return method::Refusal{"box filters choose their tile; leave out --tile"};
            }
            const double halo = static_cast<double>((tile.x + m.x - 1) * (tile.y + m.y - 1)) /
                                static_cast<double>(tile.x * tile.y);
            const double slices =
                m.z > 1 ? 2 * (1 + static_cast<double>(m.z) / static_cast<double>(tile.z)) : 1;
            prediction.ms = 1e-6 * voxels *
                            (halo * slices * (kLoadNs + 0.3) + kBoxNs +
                             kBoxStepNs * 2 * std::log2(static_cast<double>(m.x) + 1)) /
                            model.speedUp(candidate.threads);
            prediction.operations = voxels * (m.z > 1 ? 6 : 4);
            prediction.hostBytes += std::max(BoxRun::bytes(problem, tile, candidate.threads),
                                             checkBytes(problem, kernel, candidate.threads));
            prediction.errorBound = BoxRun::bound(problem, tile);
            return prediction;
        }
        if (!isGaussian(kernel)) {
            return method::Refusal{"only Gaussians, their derivatives, log, dog and box have a "
                                   "recursive form; use separable, tiled or direct"};
        }
        if (std::string reason = GaussianRun::refusal(problem, kernel); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const auto terms = static_cast<double>(kernel.terms().size());
        const double axes = base::isFlat2D(problem.scene) ? 1 : 2;
        prediction.ms =
            1e-6 * voxels * terms * (kRowNs + axes * kLineNs) / model.speedUp(candidate.threads);
        prediction.operations = voxels * terms * (axes + 1) * 32;
        prediction.hostBytes += std::max(GaussianRun::bytes(problem, kernel, candidate.threads),
                                         checkBytes(problem, kernel, candidate.threads));
        prediction.errorBound = GaussianRun::errors(problem, kernel).bound;
        return prediction;
    }

    [[nodiscard]] Outcome run(const Task<float>& task) const override { return compute(task); }
    [[nodiscard]] Outcome run(const Task<double>& task) const override { return compute(task); }

  private:
    template <class Real> static Outcome compute(const Task<Real>& task) {
        return isBox(task.kernel) ? BoxRun::run(task) : GaussianRun::run(task);
    }
};

} // namespace

const FilterMethod& recursiveFilter() {
    static const RecursiveFilter kMethod;
    return kMethod;
}

} // namespace flcc::filter::detail
