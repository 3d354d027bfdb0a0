#pragma once

#include <cmath>
#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/host_device.h"

/// The terms of the error bound of numerators that come from transforms (METHODS 2.2), by plain
/// functions for processors and devices.
namespace flcc::method::shared {

/// Energies of a tile: of its worst line, as the largest mean square, and of the whole.
struct TileEnergy {
    double largestMeanSquare = 0; ///< of all lines whose errors stay within them
    double total = 0;             ///< sum of squares

    void join(const TileEnergy& other) {
        largestMeanSquare = std::fmax(largestMeanSquare, other.largestMeanSquare);
        total += other.total;
    }
};

/// How much the transforms of a library err, against METHODS 2.2.
struct TransformErrors {
    double unit = 0x1p-24; ///< unit roundoff
    double factor = 1;     ///< on all constants but the score's
};

struct FourierBound {
    double typical = 0; ///< divided by sqrt(D): lines with errors of their own
    double worst = 0;   ///< divided by sqrt(D): a guarantee of the same
    double score = 0;   ///< times |r|
};

/// By how much a template of extents `m` may see the errors of single lines of a spectrum instead
/// of their mean. Along an axis the energy of each line in the spectrum of a template of norm 1 is
/// at most the line's length times the product of the template's other extents (Cauchy-Schwarz),
/// and of noise it is the length.
[[nodiscard]] FLCC_HOST_DEVICE inline double largestGain(const base::Extents& points,
                                                         const base::Extents& m) {
    double largest = 1;
    const auto along = [&](std::int64_t length, std::int64_t others) {
        largest = length > 1 ? std::fmax(largest, static_cast<double>(others)) : largest;
    };
    along(points.x, m.y * m.z);
    along(points.y, m.x * m.z);
    along(points.z, m.x * m.y);
    return std::sqrt(largest);
}

[[nodiscard]] FLCC_HOST_DEVICE inline double rootOfLog(const base::Extents& points) {
    const std::int64_t count = points.x * points.y * points.z;
    return std::sqrt(std::log2(static_cast<double>(count < 2 ? 2 : count)));
}

/// `points` of the transform, the template's extents `m`, energies of what goes into the transform
/// and of all that comes out. Errors of the transform of `in` spread over the tile, those of bright
/// lines over their line, for which the constant is 8; or they stay where scene and template both
/// have their energy, for which it is half of that, times largestGain().
[[nodiscard]] FLCC_HOST_DEVICE inline FourierBound
fourierBound(const base::Extents& points, const base::Extents& m, const TileEnergy& in,
             const TileEnergy& out, const TransformErrors& errors) {
    const auto count = static_cast<double>(points.x * points.y * points.z);
    const double factor = errors.unit * errors.factor * rootOfLog(points);
    const double together = largestGain(points, m) / 2 * std::sqrt(in.total / count);
    const double apart = std::sqrt(in.largestMeanSquare);
    return {factor * 8 * (std::fmax(apart, together) + std::sqrt(out.largestMeanSquare)),
            factor * 2 * std::sqrt(in.total), errors.unit * 64};
}

/// The bound on a score at a contrast K of voxels that are spread evenly, before anything is
/// transformed.
[[nodiscard]] inline double expectedFourierBound(const base::Extents& points,
                                                 const base::Extents& m, double k,
                                                 const TransformErrors& errors) {
    const auto count = static_cast<double>(points.x * points.y * points.z);
    const TileEnergy each{1, count}; // of voxels of deviation 1
    return fourierBound(points, m, each, each, errors).typical * k /
               std::sqrt(static_cast<double>(m.x * m.y * m.z)) +
           4 * errors.unit;
}

} // namespace flcc::method::shared
