#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/match/detail/scores.h"
#include "engine/match/peaks.h"

namespace flcc::match {

namespace {

/// Mean and deviation from the means of scores and of squares. Each of the two is off by at most
/// `error`, beside the rounding of a few operations in double. For equal scores the exact variance
/// is 0, and the computed one is then at most the error of meanOfSquares - mean * mean.
void setDeviation(double mean, double meanOfSquares, double error, MapStatistics& statistics) {
    constexpr double kOperations = 8 * std::numeric_limits<double>::epsilon();
    statistics.mean = mean;
    statistics.standardDeviation = std::sqrt(std::max(0.0, meanOfSquares - mean * mean));
    statistics.roundingDeviation =
        std::sqrt(error * (1 + 2 * std::abs(mean) + error) + kOperations * meanOfSquares);
}

/// True for a magnitude whose squares, and sums of them, are far from the limits of double.
bool isUsual(double magnitude) {
    return magnitude == 0 || (magnitude > 1e-120 && magnitude < 1e120);
}

} // namespace

MapStatistics statisticsOf(const method::ScoreTally& tally) {
    MapStatistics statistics;
    if (tally.count == 0) {
        return statistics;
    }
    const double unit = method::kScoreUnit / static_cast<double>(tally.count);
    statistics.count = tally.count;
    statistics.minimum = static_cast<double>(tally.minimum);
    statistics.maximum = static_cast<double>(tally.maximum);
    setDeviation(tally.sum.value() * unit, tally.squares.value() * unit, method::kScoreUnit,
                 statistics);
    if (statistics.minimum == statistics.maximum) {
        statistics.standardDeviation = 0; // exactly, and not the rounding of its formula
    }
    return statistics;
}

MapStatistics bankStatistics(MapStatistics best, const method::ScoreSums& scores) {
    if (scores.count > 0) {
        const auto count = static_cast<double>(scores.count);
        best.count = scores.count;
        if (scores.anyRange) {
            // Sums of double; long double has room for the squares of values of any magnitude.
            const auto unit = std::ldexp(1.0L, scores.exponent);
            const double mean = scores.sum / count;
            const double meanOfSquares = scores.squares / count;
            const long double wide =
                std::fmax(0.0L, meanOfSquares - static_cast<long double>(mean) * mean);
            const bool usual = meanOfSquares == 0 || isUsual(std::sqrt(meanOfSquares));
            const double deviation = usual ? std::sqrt(std::max(0.0, meanOfSquares - mean * mean))
                                           : static_cast<double>(std::sqrt(wide));
            const double rounding = std::numeric_limits<double>::epsilon() * (8 + count);
            best.mean = static_cast<double>(mean * unit);
            best.standardDeviation = scores.count == 1 ? 0 : static_cast<double>(deviation * unit);
            best.roundingDeviation =
                static_cast<double>(std::sqrt(rounding * meanOfSquares) * unit);
            return best;
        }
        // On a GPU the sums are in kScoreUnit and `rounding` is 0.
        setDeviation(scores.sum / count, scores.squares / count,
                     method::kScoreUnit + scores.rounding / count, best);
    }
    return best;
}

MapStatistics mapStatistics(const base::View<const float>& value,
                            const base::View<const base::Status>& status,
                            const std::stop_token& stop) {
    const base::Extents& extents = value.extents();
    method::ScoreTally tally;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            if (stop.stop_requested()) {
                return {};
            }
            method::addRow(value.row(y, z), status.row(y, z), extents.x, tally);
        }
    }
    return statisticsOf(tally);
}

namespace {

template <class T>
MapStatistics anyStatistics(const base::View<const T>& value,
                            const base::View<const base::Status>& status,
                            const std::stop_token& stop) {
    MapStatistics statistics;
    const base::Extents& extents = value.extents();
    const auto forValues = [&](const auto& take) {
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y && !stop.stop_requested(); ++y) {
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    if (base::hasValue(status.at(x, y, z))) {
                        take(static_cast<double>(value.at(x, y, z)));
                    }
                }
            }
        }
    };
    double sum = 0;
    forValues([&](double each) {
        const bool first = statistics.count++ == 0;
        statistics.minimum = first ? each : std::min(statistics.minimum, each);
        statistics.maximum = first ? each : std::max(statistics.maximum, each);
        sum += each;
    });
    if (statistics.count == 0) {
        return statistics;
    }
    const double largest = std::max(std::abs(statistics.minimum), std::abs(statistics.maximum));
    const auto deviate = [&](auto total) { // in the type of `total`
        using Real = decltype(total);
        const auto count = static_cast<Real>(statistics.count);
        const Real mean = total / count;
        Real squares = 0;
        forValues([&](double each) { squares += (each - mean) * (each - mean); });
        statistics.mean = static_cast<double>(mean);
        statistics.standardDeviation = static_cast<double>(std::sqrt(squares / count));
    };
    if (isUsual(largest)) {
        deviate(sum);
    } else { // long double has room for sums and squares of values of any magnitude
        long double wide = 0;
        forValues([&](double each) { wide += each; });
        deviate(wide);
    }
    if (statistics.minimum == statistics.maximum) {
        statistics.standardDeviation = 0;
    }
    statistics.roundingDeviation =
        8 * std::numeric_limits<double>::epsilon() *
        std::max(std::abs(statistics.minimum), std::abs(statistics.maximum));
    return statistics;
}

} // namespace

MapStatistics mapStatistics(const base::View<const double>& value,
                            const base::View<const base::Status>& status,
                            const std::stop_token& stop) {
    return anyStatistics(value, status, stop);
}

MapStatistics valueStatistics(const SearchedMap& map, const std::stop_token& stop) {
    return map.exact.data() != nullptr ? anyStatistics(map.exact, map.status, stop)
                                       : anyStatistics(map.value, map.status, stop);
}

namespace {

/// The voxels of a map of floats whose canonical value may be the best one; empty if there are too
/// many. `best` is the map's best value.
std::optional<std::vector<base::Index>> nearBest(const detail::Scores& scores, double best,
                                                 const std::stop_token& stop) {
    constexpr std::int64_t kMostVoxels = 400'000'000; // of panels: about half a second
    const SearchedMap& map = scores.map();
    const base::Extents& extents = map.status.extents();
    const std::int64_t most =
        kMostVoxels / scores.compared() / base::voxelCount(scores.templExtents());
    const bool lowConf =
        map.facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)] > 0;
    const double sign = scores.sign();
    // The canonical value of the map's best voxel, at least.
    const double least =
        sign * best -
        (lowConf
             ? scores.largestMargin()
             : scores.margin({.known = true, .value = sign * best, .status = base::Status::Ok}));
    const auto reach = static_cast<float>(least - scores.largestMargin());
    const float limit = std::nextafter(reach, -std::numeric_limits<float>::infinity());
    const auto factor = static_cast<float>(sign);
    std::vector<base::Index> near;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y && !stop.stop_requested(); ++y) {
            const float* const row = map.value.row(y, z);
            std::int32_t any = 0;
            for (std::int64_t x = 0; x < extents.x; ++x) {
                any |= static_cast<std::int32_t>(factor * row[x] >= limit);
            }
            for (std::int64_t x = 0; any != 0 && x < extents.x; ++x) {
                const auto seen = scores.seen({x, y, z});
                if (base::hasValue(seen.status) && seen.value + scores.margin(seen) >= least) {
                    if (std::ssize(near) == most) {
                        return std::nullopt;
                    }
                    near.push_back({x, y, z});
                }
            }
        }
    }
    return near;
}

} // namespace

std::optional<BestPlaces> bestOf(const method::MaskedView& scene, const SearchedMap& map,
                                 const PeakOptions& options, const std::stop_token& stop) {
    if (map.statistics.count == 0) {
        return std::nullopt;
    }
    const double sign = map.operation.traits().sign();
    BestPlaces best{.value = sign > 0 ? map.statistics.maximum : map.statistics.minimum,
                    .tolerance = 2 * map.facts.largestBound};
    const bool inDouble = map.exact.data() != nullptr;
    if (!inDouble) {
        detail::Scores scores(scene, map, options);
        if (const auto near = nearBest(scores, best.value, stop); near && !near->empty()) {
            std::vector<double> values;
            best.tolerance = 0;
            for (std::size_t i = 0; i < near->size() && !stop.stop_requested(); ++i) {
                const detail::Score score = scores.score((*near)[i]);
                values.push_back(score.value);
                best.tolerance = std::max(best.tolerance, 2 * score.bound);
            }
            if (!values.empty()) {
                const double top = *std::max_element(values.begin(), values.end());
                best.value = sign * top;
                best.occurrences = std::count_if(values.begin(), values.end(), [&](double value) {
                    return top - value <= best.tolerance;
                });
            }
            return best;
        }
    }
    const base::Extents& extents = map.status.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y && !stop.stop_requested(); ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                const base::Index at{x, y, z};
                const double value =
                    inDouble ? map.exact.at(at) : static_cast<double>(map.value.at(at));
                best.occurrences += base::hasValue(map.status.at(at)) &&
                                            std::abs(value - best.value) <= best.tolerance
                                        ? 1
                                        : 0;
            }
        }
    }
    return best;
}

std::optional<std::pair<double, double>> valueRange(const base::View<const float>& value,
                                                    const base::View<const base::Status>& status) {
    std::optional<std::pair<double, double>> range;
    const base::Extents& extents = value.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            const float* const values = value.row(y, z);
            const base::Status* const statuses = status.row(y, z);
            for (std::int64_t x = 0; x < extents.x; ++x) {
                if (!base::hasValue(statuses[x])) {
                    continue;
                }
                const double here = values[x];
                if (!range) {
                    range.emplace(here, here);
                }
                range->first = std::min(range->first, here);
                range->second = std::max(range->second, here);
            }
        }
    }
    return range;
}

} // namespace flcc::match
