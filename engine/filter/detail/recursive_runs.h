#pragma once

#include "engine/filter/detail/filter_method.h"

/// The two kinds of run of method `recursive`.
namespace flcc::filter::detail {

/// Errors for a scene with values of magnitude 1.
struct GaussianErrors {
    double bound = 0;  ///< sum |h - taps| of the recursive responses h, and rounding
    double spread = 0; ///< the part from beyond the taps: the responses end nowhere
};

/// Sums of Gaussians and their derivatives, line by line; sigmas below
/// RecursiveGaussian::kLeastSigma by their taps.
struct GaussianRun {
    [[nodiscard]] static std::string refusal(const Problem& problem, const Kernel& kernel);
    [[nodiscard]] static std::int64_t bytes(const Problem& problem, const Kernel& kernel,
                                            int threads);
    /// **Cost**: O(sigma).
    [[nodiscard]] static GaussianErrors errors(const Problem& problem, const Kernel& kernel);
    /// What a response may add from beyond the taps, in units of the largest magnitude under the
    /// kernel times sum |weights|: the responses approximate the taps in any case.
    static constexpr double kMostTail = 1e-2;
    template <class Real> [[nodiscard]] static Outcome run(const Task<Real>& task);
};

/// Means over boxes by running sums in double, exact for integers while sums stay below 2^53.
struct BoxRun {
    [[nodiscard]] static base::Extents tile(const Problem& problem);
    [[nodiscard]] static std::int64_t bytes(const Problem& problem, const base::Extents& tile,
                                            int threads);
    [[nodiscard]] static double bound(const Problem& problem, const base::Extents& tile);
    template <class Real> [[nodiscard]] static Outcome run(const Task<Real>& task);
};

} // namespace flcc::filter::detail
