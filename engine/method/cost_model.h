#pragma once

#include <cstdint>
#include <vector>

namespace flcc::method {

/// What a point costs in complex transforms of one length, forward and inverse, two real tiles in
/// one complex one.
struct LengthTime {
    std::int64_t length = 0;
    double rowNs = 0;    ///< contiguous
    double columnNs = 0; ///< across rows
};

/// Constants of the machine that predictions are made of; each is a rate of one thread unless it
/// says otherwise. Built-in values until they are measured here.
struct CostModel {
    double multiplyAddsPerNs = 45;  ///< float32, direct method, vectors full
    double flushVoxelNs = 0.06;     ///< direct: adding an accumulator to its total, per voxel
    double transformFactor = 1;     ///< on the times of transformTimes
    double sliceColumnFactor = 1.3; ///< on columns across slices
    double cacheBytes = 1048576;    ///< next to one core
    double crowdingFactor = 1.8;    ///< on transforms whose buffers are twice that or more
    double spectrumPointNs = 1.5;   ///< product of spectra, line energies, packing, per point
    double denominatorVoxelNs = 5;  ///< window sums, division, status of one map voxel, 2D
    double volumeVoxelNs = 11;      ///< the same in 3D, per voxel of the slices a tile reads
    double loadVoxelNs = 1.5;       ///< reading and centring one voxel of a tile
    double tileOverheadNs = 2000;   ///< fixed cost of one tile
    double prepareFactor = 2;       ///< template spectrum, in double, against one tile's transform
    double threadEfficiency = 0.95; ///< n threads are n times this as fast as one, for n > 1
    bool calibrated = false;        ///< measured on this machine
    /// Ascending by length; lengths between are not worth using and cost as if unknown.
    std::vector<LengthTime> transformTimes = builtInTimes();

    /// How many times faster `threads` threads are than one.
    [[nodiscard]] double speedUp(std::int64_t threads) const {
        return threads > 1 ? static_cast<double>(threads) * threadEfficiency : 1.0;
    }

    /// The time of a length; of one that is not listed, that of an average bad length.
    [[nodiscard]] LengthTime timeOf(std::int64_t length) const;

    [[nodiscard]] static std::vector<LengthTime> builtInTimes();
};

} // namespace flcc::method
