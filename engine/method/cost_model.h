#pragma once

#include <string>

namespace flcc::method {

/// Constants of the machine that predictions are made of; each is a rate of one thread unless it
/// says otherwise. Built-in values until they are measured here.
struct CostModel {
    double multiplyAddsPerNs = 60;   ///< float32, direct method, vectors full
    double directVoxelNs = 0.6;      ///< direct: fixed cost of an output voxel
    double transformPointNs = 0.5;   ///< pair r2c + c2r: per point and log2(points) ...
    double transformPlanFactor = 1;  ///< ... times this for a transform planned by estimate
    double spectrumPointNs = 0.35;   ///< product of spectra per point
    double denominatorVoxelNs = 1.6; ///< window sums, division, status of one map voxel
    double loadVoxelNs = 0.5;        ///< reading and centring one voxel of a tile
    double tileOverheadNs = 2000;    ///< fixed cost of one tile
    double threadEfficiency = 0.95;  ///< speed-up of n threads is n times this, for n > 1
    bool calibrated = false;         ///< measured on this machine
};

} // namespace flcc::method
