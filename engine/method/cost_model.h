#pragma once

#include <cstdint>

namespace flcc::method {

/// Constants of the machine that predictions are made of; each is a rate of one thread unless it
/// says otherwise. Built-in values until they are measured here.
struct CostModel {
    double multiplyAddsPerNs = 60;    ///< float32, direct method, vectors full
    double directVoxelNs = 0.3;       ///< direct: fixed cost of an output voxel
    double transformPointNs = 0.2;    ///< pair r2c + c2r, FFTW_ESTIMATE: per point and log2(points)
    double transformOutOfCache = 1.6; ///< times this when a tile leaves the cache
    double cacheBytes = 4 * 1048576.0; ///< of one thread
    double spectrumPointNs = 0.8;      ///< product of spectra and line energies, per point
    double denominatorVoxelNs = 1.8;   ///< window sums, division, status of one map voxel
    double loadVoxelNs = 0.4;          ///< reading and centring one voxel of a tile
    double tileOverheadNs = 3000;      ///< fixed cost of one tile
    double threadEfficiency = 0.95;    ///< n threads are n times this as fast as one, for n > 1
    bool calibrated = false;           ///< measured on this machine

    /// How many times faster `threads` threads are than one.
    [[nodiscard]] double speedUp(std::int64_t threads) const {
        return threads > 1 ? static_cast<double>(threads) * threadEfficiency : 1.0;
    }
};

} // namespace flcc::method
