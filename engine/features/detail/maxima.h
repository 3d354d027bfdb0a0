#pragma once

#include <array>
#include <stop_token>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/features/detail/levels.h"
#include "engine/features/detector.h"

namespace flcc::features::detail {

/// The responses at three neighbouring scales, in the layout of a Grid; sigma ascends.
struct ScaleTriple {
    std::array<const double*, 3> response{};
    std::array<double, 3> sigma{};
};

/// Appends the maxima of the middle scale over its neighbours in space and scale: at least
/// `minStrength`, curved along every axis (lines and edges are not blobs), with a fit of position
/// and scale. Curvatures are those in space. The order is that of the voxels. Returns false if
/// cancelled.
[[nodiscard]] bool findMaxima(const Grid& grid, const base::Point& edges, const ScaleTriple& scales,
                              double minStrength, base::TilePool& pool, const std::stop_token& stop,
                              std::vector<Blob>& to);

/// The scale and response at the maximum of the curve log R = a + b log s - c s, s = 1 / sigma^2,
/// through three points of which the middle one is the largest. The response of a disc or a ball
/// over the scales is such a curve, so that its size is exact for every ratio of scales.
struct ScaleFit {
    double sigma = 0;
    double response = 0;
};
[[nodiscard]] ScaleFit fitScale(const std::array<double, 3>& sigma,
                                const std::array<double, 3>& response);

/// Orders blobs by strength and removes each that overlaps a stronger one by more than `overlap`
/// of the smaller disc or ball.
[[nodiscard]] std::vector<Blob> prune(std::vector<Blob> blobs, double overlap, bool volume);

/// The share of the smaller of two discs or balls that lies in the other.
[[nodiscard]] double overlapOf(const Blob& a, const Blob& b, bool volume);

} // namespace flcc::features::detail
