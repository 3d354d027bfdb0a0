#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"

namespace flcc::method {

/// What a point of a real tile costs in transforms along one axis, forward and inverse.
struct LengthTime {
    std::int64_t length = 0;
    double rowNs = 0;    ///< contiguous
    double columnNs = 0; ///< across rows
};

/// What one real tile of a shape costs a thread: reading, transforms and product; and what
/// preparing a template for it costs.
struct ShapeTime {
    base::Extents points;
    double tileNs = 0;
    double prepareNs = 0;
};

/// Multiply-adds of the direct method with one instruction set.
struct InstructionRate {
    std::string instructions;
    double multiplyAddsPerNs = 0;
};

/// Constants of the machine that predictions are made of; each is a rate of one thread unless it
/// says otherwise. Built-in values until they are measured here.
struct CostModel {
    double multiplyAddsPerNs = 45;   ///< float32, direct method, vectors full
    double flushVoxelNs = 0.06;      ///< direct: adding an accumulator to its total, per voxel
    double directFactor = 1;         ///< direct: a run against the sum of its parts
    double transformFactor = 1;      ///< on the times of transformTimes
    double sliceColumnFactor = 3;    ///< on columns across slices
    double cacheBytes = 1048576;     ///< next to one core
    double crowdingFactor = 2.5;     ///< on transforms whose buffers are 16 times that or more
    double denominatorVoxelNs = 1.1; ///< division and status of one map voxel, 2D
    double denominatorRowNs = 1.7;   ///< 2D: window sums, per voxel of the rows a tile reads
    double denominatorStepNs = 0.05; ///< 2D: one step of the sums along x, per voxel
    double volumeVoxelNs = 1.5;      ///< 3D: as denominatorVoxelNs
    double volumeRowNs = 3;          ///< 3D: as denominatorRowNs
    double loadVoxelNs = 0.9;        ///< reading and centring one voxel of a tile
    double loadRowNs = 50;           ///< the same, fixed cost of a row of a tile
    double bufferByteNs = 0.25;      ///< making and clearing one byte of buffers
    double tileOverheadNs = 2000;    ///< fixed cost of one tile
    double prepareFactor = 2;        ///< template spectrum, in double, against one tile's transform
    double wholePointNs = 0.16;      ///< transforms of whole scenes, per point and log2 of them
    double wholePrepareFactor =
        1;                       ///< template spectrum with all its rows, against those transforms
    double blockFactor = 2.5;    ///< on wholeTransformNs() of a block that one thread does
    double productPointNs = 0.5; ///< adding a product of spectra to others, per point
    double threadEfficiency = 0.95; ///< n threads are n times this as fast as one, for n > 1
    bool calibrated = false;        ///< measured on this machine
    /// Not empty; others cost as the nearest one.
    std::vector<LengthTime> transformTimes = builtInTimes();
    std::vector<ShapeTime> shapeTimes;             ///< measured shapes; others are put together
    std::vector<InstructionRate> instructionRates; ///< empty until measured

    /// How many times faster `threads` threads are than one.
    [[nodiscard]] double speedUp(std::int64_t threads) const {
        return threads > 1 ? static_cast<double>(threads) * threadEfficiency : 1.0;
    }

    /// Which of the times is that of the nearest length.
    [[nodiscard]] std::size_t nearestLength(std::int64_t length) const;

    /// The time of a length: that of the nearest one, longer where FFTW does it.
    [[nodiscard]] LengthTime timeOf(std::int64_t length) const;

    /// The time of a shape: measured, or from the times of its lengths.
    [[nodiscard]] ShapeTime timeOf(const base::Extents& points) const;

    /// A whole scene's two half transforms, shared out over threads or not.
    [[nodiscard]] double wholeTransformNs(const base::Extents& points) const;
    /// The same of a block that one thread does alone; short lines cost more than their points.
    [[nodiscard]] double blockTransformNs(const base::Extents& points) const;

    /// Window sums, division and status of one map voxel, for a template of extents `m` in tiles of
    /// `tile` placements.
    [[nodiscard]] double denominatorNs(const base::Extents& m, const base::Extents& tile) const;

    /// Reading and centring the box of voxels that one tile sees.
    [[nodiscard]] double loadNs(const base::Extents& seen) const;

    /// The constants that are single numbers, by name, for files and reports.
    struct Constant {
        std::string_view name;
        double CostModel::*value;
    };
    [[nodiscard]] static const std::vector<Constant>& constants();

    [[nodiscard]] static std::vector<LengthTime> builtInTimes();
};

/// The terms of denominatorNs() in 2D, of which it is a sum: 1, the rows read, the steps along x.
[[nodiscard]] std::array<double, 3> denominatorTerms(const base::Extents& m,
                                                     const base::Extents& tile);

} // namespace flcc::method
