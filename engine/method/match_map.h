#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/base/status.h"
#include "engine/method/problem.h"

namespace flcc::method {

/// The result of a method: a score and a status for every placement, corner convention (voxel u of
/// the map is the placement whose first voxel lies on the scene voxel u + firstPlacement()).
struct MatchMap {
    base::Image<float> value;
    base::Image<base::Status> status;
    base::Image<double> exact; ///< the values of a run in double precision; else empty

    MatchMap() = default;
    /// All voxels 0 and NOT_COMPUTED.
    explicit MatchMap(const base::Extents& extents, bool inDouble = false)
        : value(extents, 0.0F), status(extents, base::Status::NotComputed) {
        if (inDouble) {
            exact = base::Image<double>(extents, 0.0);
        }
    }
};

/// The scores of a map as they are written: in double where the run was.
[[nodiscard]] inline base::AnyView scoresOf(const MatchMap& map) {
    if (map.exact.data() != nullptr) {
        return map.exact.view();
    }
    return map.value.view();
}

/// Where a method writes.
struct MapView {
    base::View<float> value;
    base::View<base::Status> status;
    base::View<double> exact{}; ///< without voxels when only float is wanted
};

[[nodiscard]] inline MapView viewOf(MatchMap& map) {
    return {map.value.view(), map.status.view(), map.exact.view()};
}

/// The part of a map inside `box`.
[[nodiscard]] inline MapView partOf(const MapView& map, const base::Box& box) {
    return {map.value.part(box), map.status.part(box),
            map.exact.data() == nullptr ? map.exact : map.exact.part(box)};
}

/// Sums over scores, for their mean and standard deviation.
struct ScoreSums {
    std::int64_t count = 0;
    double sum = 0;
    double squares = 0;
};

/// Bytes of the map of a problem and its statuses and, of a bank, its index.
[[nodiscard]] inline std::int64_t mapBytes(const Problem& problem) {
    const bool inDouble = problem.precision == Precision::Double;
    return base::byteCount(mapExtents(problem),
                           (inDouble ? 13 : 5) + (problem.templates > 1 ? 4 : 0));
}

/// Milliseconds of each stage of a run by name, summed over the threads: "load", "transform",
/// "numerator", "denominator", "recomputation".
using StagesMs = std::vector<std::pair<std::string, double>>;

/// What a method says of a run beside the map; counts are over the voxels it computed.
struct MapFacts {
    std::array<std::int64_t, base::kStatusCount> statusCounts{};
    std::int64_t overRange = 0;  ///< |r| - 1 above the voxel's bound before clamping: a defect
    std::int64_t recomputed = 0; ///< voxels computed again in double
    double boundMedian = 0;      ///< median of the bounds, from a sample, voxels with a value
    double largestBound = 0;     ///< largest bound of the voxels that are OK
    double largestLowConf = 0;   ///< largest bound of the LOWCONF voxels
    double largestRounding = 0;  ///< largest |float32(v) - v| of a centred voxel, in scene values
    /// Of a bank: all scores of all templates, of which its map holds the best alone (METHODS 6).
    ScoreSums scores;
};

} // namespace flcc::method
