#pragma once

#include <algorithm>
#include <cmath>

#include "engine/base/host_device.h"
#include "engine/method/outside.h"

/// Arithmetic of one panel, shared by processors and devices: plain functions, no allocation.
namespace flcc::method::shared {

/// The sums of a panel in the frame of its tile, x = (S - c) 2^-e, 0 beyond the scene and where it
/// is masked (METHODS 2.0). B_T is the template's support, B_S the scene's.
struct PanelSums {
    double cn = 0; ///< x * That
    double s1 = 0; ///< x * B_T
    double s2 = 0; ///< x^2 * B_T
    double n = 0;  ///< B_S * B_T: voxels of the support inside, exact
    double t1 = 0; ///< B_S * That
    double t2 = 1; ///< B_S * That^2
};

/// Bounds on the errors of computed sums: a part that is the same for a tile, and a part relative
/// to what the sum may be at most.
struct SumErrors {
    double cnTile = 0, cnPanel = 0; ///< cnPanel times sqrt(s2)
    double s1Tile = 0, s1Panel = 0; ///< s1Panel times sqrt(N s2)
    double s2Tile = 0, s2Panel = 0; ///< s2Panel times s2
    double t1Tile = 0;
    double t2Tile = 0;
};

/// What the panels of a tile have in common.
struct PanelFrame {
    double count = 1;     ///< N, voxels of the support
    double rootCount = 1; ///< sqrt(N)
    double level = 0;     ///< c 2^-e
    double unit = 1;      ///< 2^e
    double perUnit = 1;   ///< 2^-e
    bool integer = false; ///< x 2^e are integers
    Outside outside = Outside::Zero;
    double constant = 0; ///< of the bound: roundings that every score has
    SumErrors errors;
};

/// A score before it is clamped, and a bound on its error.
struct PanelScore {
    double value = 0;
    double bound = 0;
    /// The panel's or the template's variance is not certainly above 0: the sums tell nothing, the
    /// panel may be FLAT.
    bool open = false;
};

namespace detail {

/// a - b^2 / n, off by at most `error`.
struct Variance {
    double value = 0;
    double error = 0;
};

/// a b as the sum of two doubles (Dekker): no library call where there is no fused instruction.
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

/// (n a - b^2) / n from exact products: few roundings, and what is lost of the products' rests.
/// `per` is 1/n.
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

/// The score of a panel (METHODS 2.0) with a bound on its error.
///
/// Sums of integers whose bound is below a quarter are rounded and then exact. With the error dD of
/// the variance D at most D/4, 1/sqrt(D) is off by at most 0.54 dD/D of itself, so
///
///     |r - exact| <= dnum / sqrt(D) + 0.54 |r| dD / D + constant,
///
/// |r| <= 1 itself; dnum and dD are the errors of the sums carried through their formulas, products
/// of two errors included, and 4 2^-53 of every term for its own roundings.
FLCC_HOST_DEVICE inline PanelScore scorePanel(PanelSums sums, const PanelFrame& frame) {
    constexpr double kUnit = 0x1p-53;
    const SumErrors& errors = frame.errors;
    const double n = sums.n;
    const double per = 1 / n;
    sums.s2 = std::max(0.0, sums.s2);
    const double most = (sums.s2 + errors.s2Tile) * (1 + 2 * errors.s2Panel); // s2 is not above
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
        const double m = frame.level + sums.s1 / n; // the mean of the inside
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
