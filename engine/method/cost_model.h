#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"

namespace flcc::method {

/// Time of transforms along one axis, forward and inverse together, in nanoseconds for each point
/// of a real tile.
struct LengthTime {
    std::int64_t length = 0; ///< points of a line
    double rowNs = 0;        ///< lines along x, contiguous in memory
    double columnNs = 0;     ///< lines along y or z
};

/// Time of one real tile of extents `points` on one thread, in nanoseconds.
struct ShapeTime {
    base::Extents points;
    double tileNs = 0;    ///< load, transforms and product of spectra
    double prepareNs = 0; ///< the template's spectrum
};

/// Multiply-adds per nanosecond and thread of method `direct` with one instruction set.
struct InstructionRate {
    std::string instructions;
    double multiplyAddsPerNs = 0;
};

/// Constants of the machine from which predictions are computed. Times are nanoseconds of one
/// thread. The defaults hold until plan::calibrate() measures this machine.
struct CostModel {
    double multiplyAddsPerNs = 150;   ///< `direct` in float, with all vector lanes in use
    double flushVoxelNs = 0.05;       ///< `direct`: add an accumulator to its total, per voxel
    double directFactor = 0.97;       ///< `direct`: time of a run over the sum of its stages
    double transformFactor = 1;       ///< multiplies the times of `transformTimes`
    double sliceColumnFactor = 1.12;  ///< multiplies columnNs for lines along z
    double cacheBytes = 1048576;      ///< level-2 cache of one core
    double crowdingFactor = 2.5;      ///< multiplies transforms with buffers of 16 caches or more
    double denominatorVoxelNs = 0.35; ///< 2D: division and status of one map voxel
    double denominatorRowNs = 0.35;   ///< 2D: window sums, per voxel of the rows that a tile reads
    double denominatorLineNs = 47;    ///< 2D: sums and scores of a row of placements, fixed cost
    double volumeVoxelNs = 0.22;      ///< 3D: as denominatorVoxelNs
    double volumeRowNs = 0.4;         ///< 3D: as denominatorRowNs
    double volumeLineNs = 50;         ///< 3D: as denominatorLineNs
    double loadVoxelNs = 0.1;         ///< load and centre one voxel of a tile
    double loadRowNs = 14.3;          ///< load one row of a tile: fixed cost beside its voxels
    double bufferByteNs = 0.004;      ///< allocate and clear one byte of buffers
    double tileOverheadNs = 120;      ///< fixed cost of one tile
    double prepareFactor = 0.39;      ///< template's spectrum over the transforms of one tile
    double wholePointNs = 0.06;       ///< transforms of a whole scene, per point and log2(points)
    double wholePrepareFactor = 0.3;  ///< template's spectrum over wholeTransformNs()
    double blockFactor = 0.86;        ///< multiplies wholeTransformNs() for blocks of templates
    double productPointNs = 0.17;     ///< add a product of spectra to a sum, per point
    double threadEfficiency = 0.98; ///< n > 1 threads are n * threadEfficiency times as fast as one
    bool calibrated = false;        ///< the constants were measured on this machine
    /// Times of some lengths, never empty. A missing length has the time of the nearest one.
    std::vector<LengthTime> transformTimes = builtInTimes();
    /// Measured shapes. The time of any other is computed from `transformTimes`.
    std::vector<ShapeTime> shapeTimes;
    std::vector<InstructionRate> instructionRates; ///< empty until they are measured

    /// How many times faster `threads` threads are than one.
    [[nodiscard]] double speedUp(std::int64_t threads) const {
        return threads > 1 ? static_cast<double>(threads) * threadEfficiency : 1.0;
    }

    /// Index in `transformTimes` of the length nearest to `length`.
    [[nodiscard]] std::size_t nearestLength(std::int64_t length) const;

    /// Time of lines of `length` points: that of the nearest measured length. Lengths that are not
    /// smooth (shared::isSmooth) have built-in times, since FFTW transforms them.
    [[nodiscard]] LengthTime timeOf(std::int64_t length) const;

    /// Time of a tile of extents `points`: measured, or computed from the times of its lengths.
    [[nodiscard]] ShapeTime timeOf(const base::Extents& points) const;

    /// Nanoseconds of the forward and the inverse real transform of a whole scene, summed over the
    /// threads.
    [[nodiscard]] double wholeTransformNs(const base::Extents& points) const;
    /// As wholeTransformNs(), of a block that one thread transforms alone. Each line adds a fixed
    /// cost, which matters for short lines.
    [[nodiscard]] double blockTransformNs(const base::Extents& points) const;

    /// Nanoseconds for window sums, division and status of one map voxel, for a template of extents
    /// `m` in tiles of `tile` placements.
    [[nodiscard]] double denominatorNs(const base::Extents& m, const base::Extents& tile) const;

    /// Nanoseconds to load and centre the voxels that one tile reads, a box of extents `seen`.
    [[nodiscard]] double loadNs(const base::Extents& seen) const;

    /// A member of the model that is a single number, with its name in files and reports.
    struct Constant {
        std::string_view name;
        double CostModel::*value;
    };
    [[nodiscard]] static const std::vector<Constant>& constants();

    [[nodiscard]] static std::vector<LengthTime> builtInTimes();
};

/// The factors of denominatorVoxelNs, denominatorRowNs and denominatorLineNs in denominatorNs(): 1,
/// voxels read per placement, rows per placement.
[[nodiscard]] std::array<double, 3> denominatorTerms(const base::Extents& m,
                                                     const base::Extents& tile);

/// Predicted nanoseconds of a canonical value (canonicalValue()) for one panel of a template of
/// `count` voxels, for an operation of that `share` (OperationTraits::canonicalShare).
[[nodiscard]] inline double canonicalNs(std::int64_t count, double share = 1) {
    return share * (50 + 0.55 * static_cast<double>(count));
}

} // namespace flcc::method
