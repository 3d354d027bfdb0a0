#pragma once

#include <cmath>
#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/host_device.h"

/// The terms of the error bound of numerators that come from transforms (METHODS 2.2), by plain
/// functions for processors and devices.
namespace flcc::method::shared {

/// Energies of a tile.
struct TileEnergy {
    double largestMeanSquare = 0; ///< of its columns
    /// Likewise, but what is rounded off of few bright points does not spread over a line: it
    /// gathers in few others, apart by simple fractions of it. Their squares over kGathered, or
    /// over the points of shorter columns; those of lines along x and z, over kGathered, are added.
    double largestGathered = 0;
    double total = 0;           ///< sum of squares
    double largestCrossing = 0; ///< mean square, of lines along x and z, of kShort points or more

    static constexpr double kGathered = 256;
    static constexpr double kShort = 16; ///< lines of fewer are rounded less often

    /// Of the brightest of some lines, which may be that in few points, and of all of them.
    [[nodiscard]] FLCC_HOST_DEVICE static TileEnergy ofLines(std::int64_t length, double brightest,
                                                             double total) {
        const auto points = static_cast<double>(length);
        return {brightest / points, brightest / std::fmin(points, kGathered), total};
    }

    /// Counts the brightest of the lines along x or z, once and after what is joined.
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

[[nodiscard]] FLCC_HOST_DEVICE inline double voxelsOf(const base::Extents& extents) {
    return static_cast<double>(extents.x * extents.y * extents.z);
}

/// A factor of every score's error.
[[nodiscard]] FLCC_HOST_DEVICE inline double fourierScoreBound(const TransformErrors& errors) {
    return errors.unit * 64;
}

/// `points` of the transform, the template's extents `m`, energies of what goes into the transform
/// and of all that comes out. What is rounded off of `in` spreads over columns, and a template sees
/// it as it sees noise: METHODS 2.2 with its constant 8. Or the template looks like it: of N voxels
/// it sees sqrt(N) times what a voxel errs, 4 u of `in` at most (Cauchy-Schwarz). Or that lies in
/// few rows, where the template may lie, too: no more than the norms of the columns that it covers.
/// Or rows of spectra err alike, as those of one bright row do, and that comes back in this row: 8
/// u of it at most, in as many voxels as the template has there. What is rounded off of `out`
/// gathers where bright voxels of a line have their ghosts: what errs is the same for all other
/// lines.
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

/// The bound on a score at a contrast K of voxels that are spread evenly, before anything is
/// transformed.
[[nodiscard]] inline double expectedFourierBound(const base::Extents& points,
                                                 const base::Extents& m, double k,
                                                 const TransformErrors& errors) {
    TileEnergy each = TileEnergy::ofLines( // of voxels of deviation 1
        points.y, static_cast<double>(points.y), voxelsOf(points));
    each.countCrossing(points.x, static_cast<double>(points.x));
    if (points.z > 1) {
        each.countCrossing(points.z, static_cast<double>(points.z));
    }
    return fourierBound(points, m, each, each, errors).typical * k / std::sqrt(voxelsOf(m)) +
           4 * errors.unit;
}

} // namespace flcc::method::shared
