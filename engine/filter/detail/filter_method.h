#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/filter/kernel.h"
#include "engine/filter/problem.h"
#include "engine/method/candidate.h"
#include "engine/method/cost_model.h"
#include "engine/method/problem.h"

namespace flcc::filter::detail {

/// Bytes of a value of a result and of the buffers that it is made in.
[[nodiscard]] inline std::int64_t bytesOf(method::Precision precision) {
    return precision == method::Precision::Single ? 4 : 8;
}

/// Voxels that were loaded.
struct Loaded {
    double largest = 0;         ///< magnitude of the finite ones
    std::int64_t nonFinite = 0; ///< NaN and Inf, replaced by 0
};

/// The part of the error of some results that may come from voxels anywhere in the scene, also from
/// beyond the kernel's reach.
struct SpreadError {
    base::Box results;
    double bound = 0; ///< in units of the result
};

/// What a run found in the scene, and how exact its result is.
struct Outcome {
    bool cancelled = false;
    double largest = 0;         ///< largest magnitude of a finite voxel that was read
    std::int64_t nonFinite = 0; ///< above 0 if a voxel that was read is NaN or Inf
    double bound = 0;           ///< on the error of a voxel, in units of the result
    /// The part of the error of a result that comes from voxels under the kernel, per largest
    /// magnitude of these.
    double local = 0;
    /// The rest of the error; empty where results depend on voxels under the kernel only.
    std::vector<SpreadError> spread;
    /// The largest spread error that a result may keep, in units of the largest magnitude under
    /// the kernel times sum |weights|; 0: that of the precision.
    double mostSpread = 0;
    double prepareMs = 0; ///< part of the run that depends on the kernel alone

    void join(const Loaded& loaded) {
        largest = largest > loaded.largest ? largest : loaded.largest;
        nonFinite += loaded.nonFinite;
    }
    void join(const Outcome& other) {
        largest = largest > other.largest ? largest : other.largest;
        nonFinite += other.nonFinite;
        bound = bound > other.bound ? bound : other.bound;
        local = local > other.local ? local : other.local;
        spread.insert(spread.end(), other.spread.begin(), other.spread.end());
    }
};

/// A convolution to be done. Voxels that are not finite count as 0; the caller marks the results
/// that they reach.
template <class Real> struct Task {
    const Problem& problem;
    const Kernel& kernel;
    const method::Candidate& candidate;
    base::AnyView scene;
    base::View<Real> to; ///< resultExtents(problem)
    base::TilePool& pool;
    std::stop_token stop;
    std::function<void(double)> progress; ///< finished share; may be empty
    /// The result that the first voxel of `to` is. Only methods whose results depend on nothing but
    /// the voxels under the kernel compute a part of the results, `direct` and `separable`.
    base::Index corner{};

    /// The scene voxel under the first voxel of the flipped kernel for the first voxel of `to`.
    [[nodiscard]] base::Index first() const {
        const base::Index whole = firstVoxel(problem);
        return {whole.x + corner.x, whole.y + corner.y, whole.z + corner.z};
    }

    /// Progress of one of several phases of a run, for TilePool::run.
    [[nodiscard]] base::TilePool::Progress phase(std::int64_t count, int index = 0,
                                                 int phases = 1) const {
        if (!progress) {
            return {};
        }
        return [this, count, index, phases](std::int64_t done) {
            progress((index + static_cast<double>(done) / static_cast<double>(count)) / phases);
        };
    }
};

/// What the user chooses of a candidate; 0: the method chooses.
struct Shape {
    base::Extents tile{0, 0, 0};
    int parts = 0; ///< of method dif
};

/// A method of convolution on the processor. **Threads**: any; a method has no state.
class FilterMethod {
  public:
    virtual ~FilterMethod() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;

    /// True if results are sums of products over the whole kernel, so that the time grows with its
    /// voxels.
    [[nodiscard]] virtual bool byDefinition() const { return false; }

    /// The candidates worth considering, at least one; predict() may refuse them.
    [[nodiscard]] virtual std::vector<method::Candidate> candidates(const Problem& problem,
                                                                    const Kernel& kernel,
                                                                    const method::Limits& limits,
                                                                    const Shape& shape) const = 0;

    /// Predicts the cost, or refuses with a reason. Prediction::errorBound is the bound for a scene
    /// with values of magnitude 1. Bytes include the result.
    [[nodiscard]] virtual method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                                  const method::Candidate& candidate,
                                                  const method::CostModel& model) const = 0;

    [[nodiscard]] virtual Outcome run(const Task<float>& task) const = 0;
    [[nodiscard]] virtual Outcome run(const Task<double>& task) const = 0;
};

[[nodiscard]] const FilterMethod& directFilter();
[[nodiscard]] const FilterMethod& separableFilter();
[[nodiscard]] const FilterMethod& recursiveFilter();
[[nodiscard]] const FilterMethod& tiledFilter();
[[nodiscard]] const FilterMethod& fourierFilter();
[[nodiscard]] const FilterMethod& tiledTemplateFilter();
[[nodiscard]] const FilterMethod& difFilter();

/// The unit roundoff of a precision.
[[nodiscard]] inline double unitOf(method::Precision precision) {
    return precision == method::Precision::Single ? 0x1p-24 : 0x1p-53;
}

/// True if every voxel of the type is a value of the arithmetic.
[[nodiscard]] bool isExactly(base::PixelType type, method::Precision precision);

/// The error, per magnitude of the scene, of rounding voxels and weights to the arithmetic and the
/// result of a division: what every method adds to its own.
[[nodiscard]] double roundingBound(const Problem& problem, const Kernel& kernel);

/// True if sums of products of the scene's integers, at most `largest`, with integer weights fit
/// the arithmetic, so that only the division by the kernel's divisor rounds.
[[nodiscard]] bool sumsAreExact(const Problem& problem, const Kernel& kernel, double largest);

/// The largest error of a result of magnitude `largest` from its last division.
[[nodiscard]] double divisionBound(const Problem& problem, const Kernel& kernel, double largest);

/// Bytes that marking results which NaN or Inf reach may take; 0 for integer scenes.
[[nodiscard]] std::int64_t markBytes(const Problem& problem);

/// Bytes of the result.
[[nodiscard]] std::int64_t resultBytes(const Problem& problem);

/// Voxels of the result, as a double.
[[nodiscard]] double resultVoxels(const Problem& problem);

/// Sets every result whose support, continued beyond the borders, touches a voxel that is NaN or
/// Inf to NaN.
template <class Real>
void markNonFinite(const Problem& problem, const base::AnyView& scene, const base::View<Real>& to);

} // namespace flcc::filter::detail
