#pragma once

#include <cmath>

#include "engine/base/host_device.h"
#include "engine/method/shared/tile_frame.h"

/// From the sums of a panel that is a box inside the scene to its score (METHODS 2.1, 2.2), by
/// plain functions for processors and devices.
namespace flcc::method::shared {

/// What the panels of a run have in common.
struct BoxConstants {
    double count = 1;       ///< N
    double suspicious = 0;  ///< rounded sums: D <= suspicious * s2 needs a look at the pixels
    double boundPanel = 0;  ///< factor of K
    double boundScore = 0;  ///< factor of |r|
    double boundSquare = 0; ///< factor of K^2, of rounded sums
    double boundConstant = 0;
    double boundNumerator = 0; ///< of numerators from transforms, divided by sqrt(D)
    double promise = 1e-4;
    double tiny = 0x1p-80; ///< of a smaller D voxels in float would lose their last digits
    // Of numerators that are sums of stored integers, sum S T:
    bool integers = false;
    double templSum = 0;
    double templNorm = 1; ///< ||T - mean||
};

struct BoxScore {
    double value = 0; ///< within -1 .. 1
    double bound = 2;
    bool flat = false; ///< known to be constant
    bool open = false; ///< the sums tell nothing: only the pixels do
    bool overRange = false;
};

/// N times the variance, sum (S - mean)^2, of integers from their sums, which are exact and below
/// 2^51: taken about the integer next to the mean, where nothing is left to cancel. 0 exactly when
/// all are equal.
FLCC_HOST_DEVICE inline double integerVariance(double sum, double squares, double count) {
    const double middle = std::rint(sum / count);
    const double first = sum - count * middle;
    const double second = squares - middle * (sum + first);
    return second == 0 ? 0.0 : second - first * first / count;
}

/// r = num / sqrt(D), D = s2 - s1^2 / N, and the bound
///
///     boundNumerator / sqrt(D) + boundPanel K + boundScore |r| + boundSquare K^2 + boundConstant,
///
/// K^2 = s2 / D.
///
/// `num` is x * That, or sum S T where the constants say so.
FLCC_HOST_DEVICE inline BoxScore scoreBox(double s1, double s2, double num, const TileFrame& frame,
                                          const BoxConstants& constants) {
    constexpr double kUnit = 0x1p-53;
    constexpr double kCancelled = 0x1p-20; // exact sums: below it, s1^2 / N is not rounded at all
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
