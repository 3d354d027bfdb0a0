#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/filter/problem.h"

namespace flcc::filter {

/// A second-order section, p = exp(-l / sigma), w = om / sigma:
///     forward   y+(n) = b0 x(n) + b1 x(n-1) - a1 y+(n-1) - a2 y+(n-2)
///     backward  y-(n) = c1 x(n+1) + c2 x(n+2) - a1 y-(n+1) - a2 y-(n+2)
/// Its forward impulse response is p^n (A cos(w n) + B sin(w n)), n >= 0.
struct RecursiveSection {
    double b0 = 0;
    double b1 = 0;
    double c1 = 0;
    double c2 = 0;
    double a1 = 0;
    double a2 = 0;
    double gain = 0;   ///< 1 + a1 + a2, without cancellation
    double decay = 0;  ///< l / sigma
    double angle = 0;  ///< w
    double cosine = 0; ///< A
    double sine = 0;   ///< B
};

/// The Gaussian of one axis or its first or second derivative as a recursive filter: two sections
/// in parallel, forward and backward; y = sum of y+ and y- of both (order 1: y+ minus y-).
///
/// The impulse response h is normalised on the grid: order 0, sum h = 1; order 1, h(0) = 0 and
/// sum n h(n) = -1; order 2, sum h = 0 and sum n^2 h(n) = 2.
///
/// **Units**: sigma in voxels. **Source**: Deriche's fourth-order form; the coefficients
/// are minimax fits of our own.
class RecursiveGaussian {
  public:
    /// Below this the response is too short for the fit; use gaussianTaps().
    static constexpr double kLeastSigma = 0.7;
    static constexpr double kMostSigma = 10000;

    /// **Errors**: CommandLine for an order outside 0..2 or a sigma outside the range (NaN too).
    RecursiveGaussian(int order, double sigma);

    [[nodiscard]] int order() const { return m_order; }
    [[nodiscard]] double sigma() const { return m_sigma; }
    [[nodiscard]] const std::array<RecursiveSection, 2>& sections() const { return m_sections; }

    /// h(n), from its closed form.
    [[nodiscard]] double response(std::int64_t n) const;

    /// The number of voxels after which the response is below 2^-60 of its peak.
    [[nodiscard]] std::int64_t memory() const;

    /// A bound on the rounding error of a filtered voxel, for a line with |x| <= 1, in double.
    /// **Cost**: O(sigma).
    [[nodiscard]] double roundingBound() const;

  private:
    int m_order;
    double m_sigma;
    std::array<RecursiveSection, 2> m_sections;
};

/// The radius of a sampled Gaussian kernel: 6 sigma, rounded up; at least 1.
[[nodiscard]] std::int64_t gaussianRadius(double sigma);

/// The Gaussian (order 0) or its derivative of order 1 or 2, sampled at -radius .. radius and
/// normalised on the grid as RecursiveGaussian is. **Errors**: CommandLine for an order outside
/// 0..2 or a sigma that is not positive and finite.
[[nodiscard]] std::vector<double> gaussianTaps(int order, double sigma, std::int64_t radius);

/// Scratch values that filterLines() and filterRows() need for lines of `length` voxels.
[[nodiscard]] std::size_t recursiveScratch(std::int64_t length);

/// Filters `lines` lines that lie side by side: voxel n of line i is from[n * fromStride + i].
/// Vectors run across the lines. `to` may be `from`. With `add` the result is added to `to`.
///
/// **Shapes**: `scratch` holds recursiveScratch(length) values. **Threads**: any number, each with
/// a scratch of its own. **Errors**: none. A line with a value that is not finite has no meaning.
template <class In, class Out>
void filterLines(const RecursiveGaussian& filter, Border border, const In* from,
                 std::int64_t fromStride, Out* to, std::int64_t toStride, std::int64_t length,
                 std::int64_t lines, bool add, double* scratch);

/// Filters `rows` rows: voxel n of row i is from[i * fromStride + n]. Otherwise as filterLines().
template <class In, class Out>
void filterRows(const RecursiveGaussian& filter, Border border, const In* from,
                std::int64_t fromStride, Out* to, std::int64_t toStride, std::int64_t length,
                std::int64_t rows, bool add, double* scratch);

} // namespace flcc::filter
