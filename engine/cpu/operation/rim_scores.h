#pragma once

#include <cstdint>
#include <limits>

#include "engine/cpu/simd/kernels.h"
#include "engine/method/outside.h"

/// Scores of placements that are partly outside, from numerators in single precision.
namespace flcc::cpu {

/// The sums of a row of placements, as method::shared::PanelSums, and where its scores go.
struct RimRow {
    const float* cn;
    const double* s1;
    const double* s2;
    const double* n;  ///< weight of the support inside; the frame's total for all of it
    const double* t1; ///< of whole placements 0
    const double* t2; ///< of whole placements 1
    std::int64_t count;
    double* value; ///< not clamped
    double* bound; ///< kOpen: the variance is not certainly above 0
};
inline constexpr double kOpen = std::numeric_limits<double>::infinity();

/// Bounds on the errors of the sums.
struct RimErrors {
    double cn = 0; ///< typical + `cnOwn` |cn|, ...
    double cnOwn = 0;
    double cnWorst = 0; ///< ... or this if it is less
    double voxels = 0;  ///< of the numerator and sqrt(D), divided by sqrt(s2)
    double s1 = 0;      ///< + s1Own |s1|
    double s1Own = 0;
    double s2 = 0; ///< + s2Own s2
    double s2Own = 0;
    double n = 0;
    double t1 = 0;
    double t2 = 0;
};

/// What the rows of a tile have in common.
struct RimFrame {
    double total = 1; ///< N, or W under weights
    double level = 0; ///< c 2^-e
    method::Outside outside = method::Outside::Zero;
    RimErrors errors;
};

/// The formulas of NUMERICS.md, section 1, with all errors carried through.
void scoreRim(const RimFrame& frame, const RimRow& row);

/// Window sums of x and of x^2 over boxes of extents `m`, for the placements `out`: rows of
/// `stride` doubles, one of s1 and one of s2 in turn. `work` holds boxSumsWork() doubles. Sums run
/// on along z and y. Returns the bound on their errors, 0 if `exact`: all sums are whole numbers
/// below 2^53.
double sumBoxes(const simd::FloatBox& x, const base::Extents& m, const base::Extents& out,
                bool exact, double* work, double* to, std::int64_t stride);
[[nodiscard]] std::int64_t boxSumsWork(const base::Extents& m, const base::Extents& out);

} // namespace flcc::cpu
