#include <cmath>

#include "engine/match/peaks.h"

namespace flcc::match {

MapStatistics statisticsOf(const method::ScoreTally& tally) {
    MapStatistics statistics;
    if (tally.count == 0) {
        return statistics;
    }
    const double unit = method::kScoreUnit / static_cast<double>(tally.count);
    statistics.count = tally.count;
    statistics.minimum = static_cast<double>(tally.minimum);
    statistics.maximum = static_cast<double>(tally.maximum);
    statistics.mean = tally.sum.value() * unit;
    statistics.standardDeviation =
        std::sqrt(std::max(0.0, tally.squares.value() * unit - statistics.mean * statistics.mean));
    return statistics;
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

} // namespace flcc::match
