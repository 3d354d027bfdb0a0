#pragma once

#include <cmath>

#include "engine/base/host_device.h"
#include "engine/method/shared/tile_frame.h"

/// The score of a panel, and the bound on its error, from the panel's sums. For panels that are
/// boxes inside the scene, without a mask. Plain functions that compile for CPU and GPU.
/// **Source**: NUMERICS.md, sections 1, 4 and 5.
namespace flcc::method::shared {

/// Constants of scoreBox() that all panels of a run share. The `bound...` members are the factors
/// of the bound's terms.
struct BoxConstants {
    double count = 1;       ///< N, voxels of the template
    double suspicious = 0;  ///< rounded sums: if D <= suspicious * s2, the panel may be FLAT
    double boundPanel = 0;  ///< factor of K
    double boundScore = 0;  ///< factor of |r|
    double boundSquare = 0; ///< factor of K^2; rounded sums only
    double boundConstant = 0;
    double boundNumerator = 0; ///< factor of 1 / sqrt(D); numerators from transforms only
    double promise = 1e-4;     ///< largest bound of a score that is not LOWCONF
    double tiny = 0x1p-80;     ///< if D is smaller, voxels in float may have lost their last digits
    // For numerators that are sums of stored integers, sum S T:
    bool integers = false;
    double templSum = 0;  ///< sum T
    double templNorm = 1; ///< ||T - mean||
};

struct BoxScore {
    double value = 0; ///< within -1 .. 1
    double bound = 2;
    bool flat = false;      ///< the panel is proven to be constant
    bool open = false;      ///< the sums do not decide: compare the pixels
    bool overRange = false; ///< |r| - 1 is above the bound, which is a defect
};

/// Sum of (S - mean)^2 over `count` integers, from their sum and sum of squares, which must be
/// exact and below 2^51. 0 exactly when all integers are equal. The sums are shifted to the integer
/// next to the mean first, which avoids cancellation.
FLCC_HOST_DEVICE inline double integerVariance(double sum, double squares, double count) {
    const double middle = std::rint(sum / count);
    const double first = sum - count * middle;
    const double second = squares - middle * (sum + first);
    return second == 0 ? 0.0 : second - first * first / count;
}

/// The score r = num / sqrt(D) with D = s2 - s1^2 / N, and the bound on its error
///
///     boundNumerator / sqrt(D) + boundPanel K + boundScore |r| + boundSquare K^2 + boundConstant
///
/// with K^2 = s2 / D. `s1` and `s2` are the sums of x and x^2 over the panel. `num` is sum x That,
/// or sum S T if `constants.integers`. **Source**: NUMERICS.md, sections 1 and 5.
FLCC_HOST_DEVICE inline BoxScore scoreBox(double s1, double s2, double num, const TileFrame& frame,
                                          const BoxConstants& constants) {
    constexpr double kUnit = 0x1p-53;
    // Exact sums: if D / s2 is below this, D comes from integers, without rounding s1^2 / N.
    constexpr double kCancelled = 0x1p-20;
    BoxScore score;
    double d = s2 - s1 * s1 / constants.count;
    double square = constants.boundSquare;
    if (frame.exactSums) {
        square = kUnit;
        if (d <= kCancelled * s2) {
            const double area = frame.unit * frame.unit;
            d = integerVariance(s1 * frame.unit, s2 * area, constants.count) / area;
            score.flat = d == 0;
            square = 0;
        }
    } else {
        score.open = !(d > constants.suspicious * s2 && d > constants.tiny);
    }
    if (score.flat || score.open) {
        return score;
    }
    double numerator = num;
    if (constants.integers) {
        const double sum = s1 * frame.unit + constants.count * frame.level;
        numerator = (constants.count * num - sum * constants.templSum) /
                    (constants.count * constants.templNorm * frame.unit);
    }
    const double inverse = 1 / std::sqrt(d);
    const double r = numerator * inverse;
    const double magnitude = std::fabs(r);
    const double k2 = s2 * inverse * inverse;
    score.bound = constants.boundNumerator * inverse + constants.boundPanel * std::sqrt(k2) +
                  constants.boundScore * magnitude + square * k2 + constants.boundConstant;
    score.overRange = magnitude > 1 + score.bound;
    score.value = r < -1 ? -1.0 : r > 1 ? 1.0 : r;
    return score;
}

} // namespace flcc::method::shared
