#include "engine/cpu/score/counted.h"

#include <algorithm>

#include "engine/method/operation_template.h"

namespace flcc::cpu {

using base::Extents;

Counted::Counted(const method::Problem& all, const BoundTerms& terms,
                 const method::SceneStatistics* statistics)
    : problem(all) {
    if (statistics != nullptr) {
        // Steps count from a level within the range, so one of its ends is half of it away.
        integers = !(statistics->templSteps / 2 > IntegerTemplate::kMostSteps);
    }
    if (statistics == nullptr || !(statistics->leastEnergy > 0) ||
        all.precision == method::Precision::Double || !all.operation.traits().hasRowScorer) {
        return;
    }
    const double k = method::largestK(*statistics);
    const double bound = (terms.worst + terms.panel) * k + terms.score +
                         sumsBound(all.templ) * k * k + simd::kRunningBound + 4 * kUnitSingle;
    problem.recompute = all.recompute && !(bound <= all.promise);
    // The unit of a frame is at most twice the largest difference to its level.
    const double unit = 2 * (statistics->maximum - statistics->minimum);
    leastVariance = statistics->leastEnergy / (unit * unit);
    steps = statistics->steps;
}

std::int64_t Counted::templateBytes() const {
    return base::byteCount(problem.templ, problem.mask ? 9 : 8) +
           (integers ? IntegerTemplate::bytes(problem) : 0) +
           (problem.operation.traits().hasRowScorer
                ? 0
                : method::OperationTemplate::bytes(problem.templ, problem.weights));
}

std::int64_t Counted::scorerBytes(const Extents& tile) const {
    const bool general = problem.mask || problem.statistics == method::WindowStatistics::Fourier;
    if (general && problem.templates == 1) {
        return 0; // no tile has window sums
    }
    return TileScorer::bytes(problem.templ, tile, needsAdditions(tile));
}

bool Counted::needsAdditions(const Extents& tile) const {
    constexpr double kExact = 0x1p53;
    const Extents& m = problem.templ;
    const Extents strip = simd::runningStrip(m, tile);
    if (4 * simd::kRunningBound > problem.promise ||
        !(leastVariance >
          simd::kLargerThanError * simd::runningError(m, {strip.x, strip.y, tile.z}, 1))) {
        return true;
    }
    // Exact sums run only if those of a whole strip are exact.
    const auto lines = static_cast<double>(m.y) * static_cast<double>(m.z);
    const auto columns = static_cast<double>(std::max<std::int64_t>(2, strip.x + m.x - 1));
    const bool mayBeExact = lines * static_cast<double>(m.x) * (steps / 2) * (steps / 2) < kExact;
    return mayBeExact && !(lines * columns * (2 * steps) * (2 * steps) < kExact);
}

} // namespace flcc::cpu
