#pragma once

#include <cmath>
#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/host_device.h"

/// Error bound of numerators that are computed by Fourier transforms. Plain functions that compile
/// for CPU and GPU. **Source**: NUMERICS.md, section 5, `tiled` and `fourier`; its constants are
/// *empirical*.
namespace flcc::method::shared {

/// Sums of squares of a tile, which the bound is made of.
struct TileEnergy {
    double largestMeanSquare = 0; ///< `column`: largest mean square of a column
    /// `gathered`: largest sum of squares of a column, divided by min(its length, kGathered), plus
    /// the largest sums of a line along x and of one along z, divided by kGathered. The rounding
    /// errors of a few bright points do not spread over their line: they gather in a few points,
    /// which lie simple fractions of the line away.
    double largestGathered = 0;
    double total = 0;           ///< sum of all squares
    double largestCrossing = 0; ///< `crossing`: largest mean square of a line along x or z; lines
                                ///< shorter than kShort count as kShort points

    static constexpr double kGathered = 256;
    static constexpr double kShort = 16; ///< shorter lines are rounded less often

    /// Energies of columns of `length` points: `brightest` is the largest sum of squares of one
    /// column, `total` the sum over all columns.
    [[nodiscard]] FLCC_HOST_DEVICE static TileEnergy ofLines(std::int64_t length, double brightest,
                                                             double total) {
        const auto points = static_cast<double>(length);
        return {brightest / points, brightest / std::fmin(points, kGathered), total};
    }

    /// Adds the lines along x or along z: `brightest` is the largest sum of squares of one line.
    /// Call it once for each of these axes, after join(), since it adds to a maximum.
    FLCC_HOST_DEVICE void countCrossing(std::int64_t length, double brightest) {
        const double points = std::fmax(static_cast<double>(length), kShort);
        largestCrossing = std::fmax(largestCrossing, brightest / points);
        largestGathered += brightest / kGathered;
    }

    FLCC_HOST_DEVICE void join(const TileEnergy& other) {
        largestMeanSquare = std::fmax(largestMeanSquare, other.largestMeanSquare);
        largestGathered = std::fmax(largestGathered, other.largestGathered);
        total += other.total;
        largestCrossing = std::fmax(largestCrossing, other.largestCrossing);
    }
};

/// Accuracy of a library's transforms: u and f of NUMERICS.md, section 5.
struct TransformErrors {
    double unit = 0x1p-24; ///< unit roundoff
    double factor = 1;     ///< multiplies all terms of the bound but the one of |r|
};

/// Terms of the bound on a score: min(typical, worst) / sqrt(D) + score |r|.
struct FourierBound {
    double typical = 0; ///< assumes that the errors of different lines are independent
    double worst = 0;   ///< assumes nothing about how errors add up
    double score = 0;
};

[[nodiscard]] FLCC_HOST_DEVICE inline double voxelsOf(const base::Extents& extents) {
    return static_cast<double>(extents.x * extents.y * extents.z);
}

/// FourierBound::score, the term that does not depend on the tile.
[[nodiscard]] FLCC_HOST_DEVICE inline double fourierScoreBound(const TransformErrors& errors) {
    return errors.unit * 64;
}

/// The bound for a transform of extents `points` and a template of extents `m`. `in` holds the
/// energies of the tile that is transformed, `out` those of everything the inverse transform gives,
/// the discarded part included.
///
/// The rounding errors of `in` reach a score in one of four ways; the largest counts:
/// - The errors spread over columns like noise: 8 sqrt(log2 M) times their root mean square.
/// - The errors look like the template (`alike`): sqrt(N) times the error of a voxel, which is at
///   most 4 u times that of its line (Cauchy-Schwarz).
/// - The errors gather in the few rows that the template covers (`covered`): at most the norm of
///   these columns.
/// - The rows of the spectrum have the same errors, as those of one bright row do (`crossing`):
/// they
///   come back in that row, at most 8 u of it, in as many voxels as the template has there.
///
/// The rounding errors of `out` gather around the faint copies that bright voxels leave in their
/// line.
[[nodiscard]] FLCC_HOST_DEVICE inline FourierBound
fourierBound(const base::Extents& points, const base::Extents& m, const TileEnergy& in,
             const TileEnergy& out, const TransformErrors& errors) {
    const double root = std::sqrt(std::log2(std::fmax(voxelsOf(points), 2)));
    const double factor = errors.unit * errors.factor;
    const double column = in.largestMeanSquare;
    const double alike = 4 * std::sqrt(voxelsOf(m) * std::fmax(column, in.largestCrossing));
    const double covered = std::sqrt(voxelsOf({m.x, points.y, m.z}) * column);
    const double crossing = 8 * std::sqrt(voxelsOf({m.x, 1, m.z}) * in.largestCrossing);
    const double seen =
        std::fmax(std::fmax(8 * root * std::sqrt(column), alike), std::fmax(covered, crossing));
    return {factor * (seen + 8 * root * std::sqrt(out.largestGathered)),
            factor * std::fmax(2 * root, root + 4) * std::sqrt(in.total),
            fourierScoreBound(errors)};
}

/// The bound on a score at the contrast `k` (K of NUMERICS.md, section 3) that is expected before a
/// run, for a tile whose voxels have a standard deviation of 1 everywhere.
[[nodiscard]] inline double expectedFourierBound(const base::Extents& points,
                                                 const base::Extents& m, double k,
                                                 const TransformErrors& errors) {
    TileEnergy each =
        TileEnergy::ofLines(points.y, static_cast<double>(points.y), voxelsOf(points));
    each.countCrossing(points.x, static_cast<double>(points.x));
    if (points.z > 1) {
        each.countCrossing(points.z, static_cast<double>(points.z));
    }
    return fourierBound(points, m, each, each, errors).typical * k / std::sqrt(voxelsOf(m)) +
           4 * errors.unit;
}

} // namespace flcc::method::shared
