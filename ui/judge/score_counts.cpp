#include "ui/judge/score_counts.h"

#include <algorithm>
#include <limits>

namespace flcc::ui {

std::optional<ScoreHistogram> histogramOf(const job::KeptMap& kept, int bins,
                                          const std::stop_token& stop) {
    ScoreHistogram made;
    bool any = false;
    for (const job::KeptPart& part : kept.parts) {
        if (part.statistics.count > 0) {
            made.low = any ? std::min(made.low, part.statistics.minimum) : part.statistics.minimum;
            made.high =
                any ? std::max(made.high, part.statistics.maximum) : part.statistics.maximum;
            any = true;
        }
    }
    if (!any) {
        return made;
    }
    made.high = made.high > made.low ? made.high : made.low + 1;
    made.bins.assign(static_cast<std::size_t>(bins), 0);
    const double scale = bins / (made.high - made.low);
    const base::Extents extents = kept.map->value.extents();
    const float* value = kept.map->value.data();
    const base::Status* status = kept.map->status.data();
    const std::int64_t row = extents.x;
    for (std::int64_t at = 0; at < kept.map->value.count(); ++at) {
        if (at % (row * 64) == 0 && stop.stop_requested()) {
            return std::nullopt;
        }
        if (base::hasValue(status[at])) {
            const double place = (static_cast<double>(value[at]) - made.low) * scale;
            const int bin = std::clamp(static_cast<int>(std::clamp(place, 0.0, 1e9)), 0, bins - 1);
            ++made.bins[static_cast<std::size_t>(bin)];
            ++made.total;
        }
    }
    return made;
}

std::int64_t PeakPool::survivors(double threshold) const {
    const std::vector<match::Peak>& peaks = list.peaks;
    const auto end = std::ranges::partition_point(peaks, [&](const match::Peak& peak) {
        return sign * peak.score + peak.bound >= sign * threshold;
    });
    return end - peaks.begin();
}

std::vector<match::Peak> PeakPool::below(double threshold, std::size_t most) const {
    const std::vector<match::Peak>& peaks = list.peaks;
    const auto from = static_cast<std::size_t>(survivors(threshold));
    const std::size_t to = std::min(peaks.size(), from + most);
    return {peaks.begin() + static_cast<std::ptrdiff_t>(from),
            peaks.begin() + static_cast<std::ptrdiff_t>(to)};
}

std::optional<PeakPool> poolOf(const job::KeptMap& kept, const job::PeakThresholds& thresholds,
                               const std::stop_token& stop) {
    PeakPool pool;
    pool.sign = kept.problem.operation.traits().sign();
    job::PeakThresholds& all = pool.thresholds;
    all = thresholds;
    all.threshold = -pool.sign * std::numeric_limits<double>::max();
    all.falsePositives.reset();
    all.zscore.reset();
    all.maxPeaks = kMostPooled;
    pool.list = job::extractPeaks(kept, all, stop);
    if (stop.stop_requested()) {
        return std::nullopt;
    }
    pool.full = std::ssize(pool.list.peaks) >= kMostPooled;
    return pool;
}

} // namespace flcc::ui
