#pragma once

#include <cmath>
#include <cstdint>

#include "engine/base/host_device.h"

/// The terms of the error bound of numerators that come from transforms (METHODS 2.2), by plain
/// functions for processors and devices.
namespace flcc::method::shared {

/// Mean squares over the lines of a tile, and the sum of its squares.
struct TileEnergy {
    double largestMeanSquare = 0; ///< of all lines parallel to any axis
    double total = 0;
};

/// How much the transforms of a library err, against METHODS 2.2.
struct TransformErrors {
    double unit = 0x1p-24; ///< unit roundoff
    double factor = 1;     ///< on the constants 8 and 2
};

struct FourierBound {
    double typical = 0; ///< divided by sqrt(D): lines with errors of their own
    double worst = 0;   ///< divided by sqrt(D): a guarantee of the same
    double score = 0;   ///< times |r|
};

/// `points` of the transform; energies of what goes into it and of all that comes out.
[[nodiscard]] FLCC_HOST_DEVICE inline FourierBound fourierBound(std::int64_t points, double rhoIn,
                                                                double rhoOut, double norm,
                                                                const TransformErrors& errors) {
    const double root = std::sqrt(std::log2(static_cast<double>(points < 2 ? 2 : points)));
    const double factor = errors.unit * errors.factor;
    return {factor * 8 * root * (rhoIn + rhoOut), factor * 2 * root * norm, errors.unit * 64};
}

} // namespace flcc::method::shared
