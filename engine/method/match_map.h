#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/base/status.h"
#include "engine/method/problem.h"

namespace flcc::method {

/// The result of a method: a score and a status for every placement. Voxel u of the map belongs to
/// the placement whose first template voxel lies on the scene voxel u + firstPlacement().
struct MatchMap {
    base::Image<float> value;
    base::Image<base::Status> status;
    base::Image<double> exact; ///< the scores as doubles after a run in double; else empty

    MatchMap() = default;
    /// A map whose voxels are 0 and NOT_COMPUTED.
    explicit MatchMap(const base::Extents& extents, bool inDouble = false)
        : value(extents, 0.0F), status(extents, base::Status::NotComputed) {
        if (inDouble) {
            exact = base::Image<double>(extents, 0.0);
        }
    }
};

/// The scores of a map as they are written to a file: doubles after a run in double, else floats.
[[nodiscard]] inline base::AnyView scoresOf(const MatchMap& map) {
    if (map.exact.data() != nullptr) {
        return map.exact.view();
    }
    return map.value.view();
}

/// The map into which a method writes.
struct MapView {
    base::View<float> value;
    base::View<base::Status> status;
    base::View<double> exact{}; ///< without voxels when only floats are needed
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
    double rounding = 0; ///< bound on the rounding of each of the two sums by ofPart()
    /// Of operations beside lcc, whose values may be of any magnitude: the sums are in 2^exponent
    /// and its square, in double. Otherwise they are whole multiples of kScoreUnit, or nearly so.
    bool anyRange = false;
    int exponent = 0;

    void add(const ScoreSums& more) {
        if (count == 0) {
            exponent = more.exponent;
        }
        const int common = std::max(exponent, more.exponent);
        const auto scaled = [common](const ScoreSums& of, double value, int power) {
            return of.exponent == common ? value
                                         : std::ldexp(value, power * (of.exponent - common));
        };
        sum = scaled(*this, sum, 1) + scaled(more, more.sum, 1);
        squares = scaled(*this, squares, 2) + scaled(more, more.squares, 2);
        count += more.count;
        rounding += more.rounding;
        exponent = more.count == 0 ? exponent : common;
        anyRange = anyRange || more.anyRange;
    }
};

/// Bytes of a voxel of the sums over a search, and of the mean, deviation and z made of them.
inline constexpr int kSearchSumBytes = 8 + 8 + 4;
inline constexpr int kSearchMapBytes = 3 * 4;

/// Bytes of the map of a problem: values, statuses and, for a bank, the index and the sums.
[[nodiscard]] inline std::int64_t mapBytes(const Problem& problem) {
    const bool inDouble = problem.precision == Precision::Double;
    const int sums = problem.searchSums ? kSearchSumBytes + kSearchMapBytes : 0;
    return base::byteCount(mapExtents(problem),
                           (inDouble ? 13 : 5) + (problem.templates > 1 ? 4 + sums : 0));
}

/// Milliseconds of each stage of a run, summed over the threads, by the stage's name: "load",
/// "transform", "numerator", "denominator", "recomputation".
using StagesMs = std::vector<std::pair<std::string, double>>;

/// Facts about a run that the map does not show. Counts are over the voxels that were computed.
struct MapFacts {
    std::array<std::int64_t, base::kStatusCount> statusCounts{};
    std::int64_t overRange = 0;  ///< voxels with |r| - 1 above their bound; each is a defect
    std::int64_t recomputed = 0; ///< voxels recomputed because their bound broke the promise
    double boundMedian = 0;      ///< median bound of a sample of the voxels with a score
    double largestBound = 0;     ///< largest bound of the OK voxels
    /// The same divided by what the promise is on, for a pure number other than lcc.
    double largestRelative = 0;
    double largestLowConf = 0;  ///< largest bound of the LOWCONF voxels
    double largestRounding = 0; ///< largest rounding error of a centred voxel, in scene values
    /// For a bank: sums over the scores of all templates, since its map holds only the best ones.
    ScoreSums scores;
};

} // namespace flcc::method
