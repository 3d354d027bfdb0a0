#include <algorithm>
#include <cmath>

#include "engine/match/peaks.h"

namespace flcc::match {

namespace {

/// Sums of one row, kept apart so that long maps lose no digits.
struct RowSums {
    double sum = 0;
    double squares = 0;
    std::int64_t count = 0;
    float minimum = 2;
    float maximum = -2;
};

RowSums sumRow(const float* value, const base::Status* status, std::int64_t length) {
    RowSums row;
    for (std::int64_t x = 0; x < length; ++x) {
        if (base::hasValue(status[x])) {
            const double v = static_cast<double>(value[x]);
            row.sum += v;
            row.squares += v * v;
            ++row.count;
            row.minimum = std::min(row.minimum, value[x]);
            row.maximum = std::max(row.maximum, value[x]);
        }
    }
    return row;
}

} // namespace

MapStatistics mapStatistics(const base::View<const float>& value,
                            const base::View<const base::Status>& status,
                            const std::stop_token& stop) {
    const base::Extents& extents = value.extents();
    RowSums all;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            if (stop.stop_requested()) {
                return {};
            }
            const RowSums row = sumRow(value.row(y, z), status.row(y, z), extents.x);
            all.sum += row.sum;
            all.squares += row.squares;
            all.count += row.count;
            all.minimum = std::min(all.minimum, row.minimum);
            all.maximum = std::max(all.maximum, row.maximum);
        }
    }
    MapStatistics statistics;
    if (all.count == 0) {
        return statistics;
    }
    const double count = static_cast<double>(all.count);
    statistics.count = all.count;
    statistics.minimum = static_cast<double>(all.minimum);
    statistics.maximum = static_cast<double>(all.maximum);
    statistics.mean = all.sum / count;
    statistics.standardDeviation =
        std::sqrt(std::max(0.0, all.squares / count - statistics.mean * statistics.mean));
    return statistics;
}

} // namespace flcc::match
