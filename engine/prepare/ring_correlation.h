#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/image.h"

namespace flcc::prepare {

/// How alike two images are over spatial frequencies: the Fourier ring or shell correlation
/// `Re sum(F1 conj(F2)) / sqrt(sum |F1|^2 sum |F2|^2)`, over the frequencies of each ring.
struct RingCorrelation {
    std::vector<double> frequency;   ///< middle of each ring, cycles a voxel, from 0 to 1/2
    std::vector<double> correlation; ///< NaN where one image has no such frequencies
    /// Where the correlation first falls below 0.143, voxels a cycle; between two rings it is
    /// interpolated over the frequency. Empty if it stays above up to 1/2.
    std::optional<double> resolution;
};

/// The value of the correlation that states the resolution. **Source**: P. Rosenthal, R. Henderson,
/// J. Mol. Biol. 333, 2003.
inline constexpr double kRingThreshold = 0.143;

/// **Shapes**: two images of the same extents. Ring r holds the frequencies f with
/// `round(|f| n) = r`, where n is the least extent above 1. **Cost**: two transforms in double, of
/// any lengths: O(voxels log voxels); 16 bytes a voxel. If cancelled, the result is unspecified.
/// **Threads**: may be called at once.
[[nodiscard]] RingCorrelation ringCorrelation(const base::View<const double>& first,
                                              const base::View<const double>& second,
                                              const std::stop_token& stop = {});

} // namespace flcc::prepare
