#pragma once

#include <algorithm>
#include <cmath>

#include "engine/base/host_device.h"
#include "engine/method/outside.h"

/// The score of one panel, with or without a mask, inside the scene or partly outside, and the
/// bound on its error. Plain functions without allocation that compile for CPU and GPU. **Source**:
/// NUMERICS.md, sections 1 and 5.
namespace flcc::method::shared {

/// The sums of a panel in the frame of its tile, x = (S - c) 2^-e. x is 0 beyond the scene and
/// outside its mask. B_T is 1 on the template's support, B_S inside the scene and its mask; both
/// are 0 elsewhere.
struct PanelSums {
    double cn = 0; ///< sum x That
    double s1 = 0; ///< sum x B_T
    double s2 = 0; ///< sum x^2 B_T
    double n = 0;  ///< sum B_S B_T: voxels of the support that lie inside; exact
    double t1 = 0; ///< sum B_S That
    double t2 = 1; ///< sum B_S That^2
};

/// Bounds on the errors of the sums. The bound of a sum is its `Tile` part, which is the same for
/// all panels of a tile, plus its `Panel` part times the factor given beside it.
struct SumErrors {
    double cnTile = 0, cnPanel = 0; ///< cnPanel times sqrt(s2)
    double s1Tile = 0, s1Panel = 0; ///< s1Panel times sqrt(N s2)
    double s2Tile = 0, s2Panel = 0; ///< s2Panel times s2
    double t1Tile = 0;
    double t2Tile = 0;
};

/// Constants of scorePanel() that all panels of a tile share.
struct PanelFrame {
    double count = 1;     ///< N, voxels of the support
    double rootCount = 1; ///< sqrt(N)
    double level = 0;     ///< c 2^-e
    double unit = 1;      ///< 2^e
    double perUnit = 1;   ///< 2^-e
    bool integer = false; ///< x 2^e are integers
    Outside outside = Outside::Zero;
    double constant = 0; ///< part of every bound: roundings of the last operations of a score
    SumErrors errors;
};

/// A score before it is clamped, and a bound on its error.
struct PanelScore {
    double value = 0;
    double bound = 0;
    /// The variance of the panel, or of the template on the overlap, is not certainly above 0. The
    /// panel may be FLAT; only its pixels can decide. `value` and `bound` say nothing then.
    bool open = false;
};

namespace detail {

/// a - b^2 / n, and the bound on its error.
struct Variance {
    double value = 0;
    double error = 0;
};

/// The exact product a b as the sum of two doubles (Dekker's method). std::fma would be a slow
/// library call where the machine has no such instruction.
struct Product {
    double value = 0;
    double rest = 0;
};
FLCC_HOST_DEVICE inline Product exactProduct(double a, double b) {
    constexpr double kSplit = 0x1p27 + 1;
    const double aBig = a * kSplit;
    const double bBig = b * kSplit;
    const double aHigh = aBig - (aBig - a);
    const double bHigh = bBig - (bBig - b);
    const double aLow = a - aHigh;
    const double bLow = b - bHigh;
    const double value = a * b;
    return {value, ((aHigh * bHigh - value) + aHigh * bLow + aLow * bHigh) + aLow * bLow};
}

/// (n a - b^2) / n from exact products, so that only the last operations are rounded. `aError` and
/// `bError` bound the errors of `a` and `b`; `per` is 1/n.
FLCC_HOST_DEVICE inline Variance varianceOf(double a, double aError, double b, double bError,
                                            double n, double per) {
    constexpr double kUnit = 0x1p-53;
    const Product first = exactProduct(n, a);
    const Product second = exactProduct(b, b);
    const double value = ((first.value - second.value) + (first.rest - second.rest)) * per;
    return {value, aError +
                       per * (bError * (2 * std::abs(b) + bError) +
                              8 * kUnit * kUnit * (first.value + second.value)) +
                       5 * kUnit * std::abs(value)};
}

/// The nearest integer of a number below 2^51.
FLCC_HOST_DEVICE inline double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

} // namespace detail

/// The score of a panel and the bound on its error, by the formulas of NUMERICS.md, section 1.
///
/// A sum of integers whose bound is below 1/4 is rounded to the nearest integer and then exact. If
/// the error dD of the variance D is at most D/4, the relative error of 1/sqrt(D) is at most
/// 0.54 dD/D, so
///
///     |r - exact| <= dnum / sqrt(D) + 0.54 |r| dD / D + constant.
///
/// dnum and dD are the errors of the sums carried through the formulas, products of two errors
/// included, plus 4 * 2^-53 of every term for its own roundings.
FLCC_HOST_DEVICE inline PanelScore scorePanel(PanelSums sums, const PanelFrame& frame) {
    constexpr double kUnit = 0x1p-53;
    const SumErrors& errors = frame.errors;
    const double n = sums.n;
    const double per = 1 / n;
    sums.s2 = std::max(0.0, sums.s2);
    const double most = (sums.s2 + errors.s2Tile) * (1 + 2 * errors.s2Panel); // exact s2 <= most
    const double root2 = std::sqrt(most);
    const double cnError = errors.cnTile + errors.cnPanel * root2;
    double s1Error = errors.s1Tile + errors.s1Panel * frame.rootCount * root2;
    double s2Error = errors.s2Tile + errors.s2Panel * most;
    if (frame.integer) {
        const double first = sums.s1 * frame.unit;
        const double second = sums.s2 * frame.unit * frame.unit;
        if (s1Error * frame.unit < 0.25 && std::abs(first) < 0x1p51) {
            sums.s1 = detail::nearest(first) * frame.perUnit;
            s1Error = 0;
        }
        if (s2Error * frame.unit * frame.unit < 0.25 && second < 0x1p51) {
            sums.s2 = detail::nearest(second) * frame.perUnit * frame.perUnit;
            s2Error = 0;
        }
    }
    const detail::Variance w = detail::varianceOf(sums.s2, s2Error, sums.s1, s1Error, n, per);
    double numerator = sums.cn;
    double numeratorError = cnError;
    double d = w.value;
    double dError = w.error;
    if (n < frame.count && frame.outside == Outside::Overlap) {
        const detail::Variance v =
            detail::varianceOf(sums.t2, errors.t2Tile, sums.t1, errors.t1Tile, n, per);
        const double joint = sums.s1 * sums.t1 / n;
        numerator -= joint;
        numeratorError += (std::abs(sums.s1) * errors.t1Tile + std::abs(sums.t1) * s1Error +
                           s1Error * errors.t1Tile) /
                              n +
                          4 * kUnit * (std::abs(joint) + std::abs(sums.cn));
        if (!(v.value > 4 * v.error)) {
            return {0, 2, true};
        }
        d *= v.value;
        dError = dError * (v.value + v.error) + std::abs(w.value) * v.error + 4 * kUnit * d;
    } else if (n < frame.count) {
        const double m = frame.level + sums.s1 / n; // mean of the voxels inside
        const double mError = s1Error / n + 2 * kUnit * (std::abs(frame.level) + std::abs(m));
        const double share = n * (frame.count - n) / frame.count;
        d += share * m * m;
        dError += share * mError * (2 * std::abs(m) + mError) + 4 * kUnit * d;
        const double own = sums.s1 / frame.count;
        const double outer = frame.level * ((frame.count - n) / frame.count);
        const bool zero = frame.outside == Outside::Zero;
        const double gain = zero ? frame.level : outer - own;
        const double gainError =
            zero ? 0.0 : s1Error / frame.count + 4 * kUnit * (std::abs(outer) + std::abs(own));
        const double beyond = gain * sums.t1;
        numerator += beyond;
        numeratorError += std::abs(gain) * errors.t1Tile + gainError * std::abs(sums.t1) +
                          gainError * errors.t1Tile +
                          4 * kUnit * (std::abs(beyond) + std::abs(sums.cn));
    }
    if (!(d > 4 * dError)) {
        return {0, 2, true};
    }
    const double inverse = 1 / std::sqrt(d);
    const double value = numerator * inverse;
    const double direct = numeratorError * inverse;
    const double relative = 0.54 * dError / d;
    return {value,
            direct + relative * std::min(1.0, std::abs(value) + direct + relative) + frame.constant,
            false};
}

} // namespace flcc::method::shared
