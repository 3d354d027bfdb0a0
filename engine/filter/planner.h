#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/filter/kernel.h"
#include "engine/filter/problem.h"
#include "engine/method/candidate.h"
#include "engine/method/cost_model.h"

namespace flcc::filter {

/// The decision on how to convolve.
struct Plan {
    Problem problem;
    method::Limits limits;
    /// Chosen first, then by time, refused last. Prediction::errorBound holds for a scene whose
    /// largest value is 1.
    std::vector<method::CandidateReport> candidates;
    double planningMs = 0;
    bool cancelled = false;

    /// Null when every candidate was refused.
    [[nodiscard]] const method::CandidateReport* chosen() const;
};

/// What restricts a plan.
struct Wanted {
    std::string method = "auto";
    base::Extents tile{0, 0, 0}; ///< 0: the planner chooses
    int parts = 0;               ///< of method dif; 0: the planner chooses
    std::optional<method::Candidate>
        candidate{}; ///< of an earlier plan; nothing else is considered
    /// Candidates that are timed on a part of the scene: none, the plausible ones, or all that are
    /// not refused on the whole scene.
    enum class Timing { None, Sample, Whole } timing = Timing::Sample;
};

/// Names of all methods, without "auto".
[[nodiscard]] std::vector<std::string> methodNames();

/// True for a method that adds up the products of the definition, so that its time grows with the
/// voxels of the kernel. **Errors**: CommandLine for a method that does not exist.
[[nodiscard]] bool isByDefinition(const std::string& method);

/// Considers all methods, or the one that is wanted. `auto` takes no candidate whose bound is above
/// 2e-3 (single) or 1e-9 (double) times sum |weights|, as recursive Gaussians approximate their
/// kernel. **Errors**: CommandLine for a method that does not exist and for `parts` as
/// requireParts(); Problem as resultExtents(), for weights beyond single precision and for more
/// parts than the slowest axis has points.
[[nodiscard]] Plan makePlan(const Problem& problem, const Kernel& kernel,
                            const method::Limits& limits, const method::CostModel& model,
                            const Wanted& wanted, const base::AnyView& scene, base::TilePool& pool,
                            const std::stop_token& stop = {});

/// True for a method that divides its transform into parts.
[[nodiscard]] bool hasParts(std::string_view method);

/// Throws for parts that no method has. **Errors**: CommandLine.
void requireParts(int parts, const std::string& method);

/// What a decomposition of a convolution into parts takes, by a formula. **Source**: Karas,
/// Table 1.
struct Decomposition {
    std::string method; ///< "dif", "dit", "tiling"
    double operations = 0;
    double transfers = 0; ///< values between the central node and the others
    double values = 0;    ///< values in the memory of a node
    double bytes = 0;     ///< the same
};
/// The rows of Karas' Table 1 for d = `parts`: N^f + N^g is the product, over the axes, of the
/// extents of scene and kernel. Memory of dif and dit is 2 (N^f + N^g) / d for d = 2.
[[nodiscard]] std::vector<Decomposition> decompositions(const Problem& problem, int parts);

/// A convolution (FLCC (1)): y(u) = sum over k of x(u - k) h(k).
struct Convolved {
    bool cancelled = false;
    base::AnyImage pixels;  ///< float32, or float64 in Double; NaN where NaN or Inf is reached
    double largest = 0;     ///< largest magnitude of a finite voxel
    bool nonFinite = false; ///< the scene holds NaN or Inf
    double bound = 0;       ///< on the error of every result that is not NaN
    /// The same, of each result in units of the largest magnitude under the kernel (of integers at
    /// least 1) times sum |weights|.
    double relativeBound = 0;
    /// Results that were computed again, as voxels beyond the kernel's reach spoiled them.
    std::int64_t repeated = 0;
    /// Milliseconds of the run that depend on the kernel alone: its spectra.
    double prepareMs = 0;
};

/// Runs a candidate of a plan for `problem`. `progress` gets the finished share on any worker.
/// A result whose support, continued beyond the borders, touches a voxel that is NaN or Inf is NaN.
/// Where a method lets voxels beyond the kernel's reach add an error of more than 1e-4 (1e-10 in
/// Double) to relativeBound, or 1e-2 for recursive Gaussians, the results are computed again.
/// **Errors**: std::bad_alloc.
[[nodiscard]] Convolved convolve(const Problem& problem, const Kernel& kernel,
                                 const method::Candidate& candidate, const base::AnyView& scene,
                                 base::TilePool& pool, const std::stop_token& stop = {},
                                 const std::function<void(double)>& progress = {});

/// As convolve(), with the pixels in `to` instead of Convolved::pixels. **Shapes**: `to` has the
/// extents of the result. `Real` is float in Single, double in Double.
template <class Real>
[[nodiscard]] Convolved
convolveTo(const Problem& problem, const Kernel& kernel, const method::Candidate& candidate,
           const base::AnyView& scene, const base::View<Real>& to, base::TilePool& pool,
           const std::stop_token& stop = {}, const std::function<void(double)>& progress = {});

} // namespace flcc::filter
