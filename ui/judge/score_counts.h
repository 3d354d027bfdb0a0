#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/job/kept_map.h"

namespace flcc::ui {

/// How many voxels of a map have which score. Bin i holds scores from low + i * width.
struct ScoreHistogram {
    double low = 0;
    double high = 0;
    std::vector<std::int64_t> bins;
    std::int64_t total = 0;

    [[nodiscard]] double width() const {
        return bins.empty() ? 0 : (high - low) / static_cast<double>(bins.size());
    }
};

/// Of the voxels that have a value, the largest one in the last bin. Empty if cancelled. **Cost**:
/// one pass over the map.
[[nodiscard]] std::optional<ScoreHistogram> histogramOf(const job::KeptMap& kept, int bins,
                                                        const std::stop_token& stop);

/// The peaks of a map with any score, the best first, as far as they are counted. Where no
/// threshold suppresses, a list with a threshold is the begin of this list.
struct PeakPool {
    job::FoundPeaks list;
    double sign = 1;                ///< -1 where the smallest value is best
    bool full = false;              ///< there are more
    job::PeakThresholds thresholds; ///< that it was made with

    /// The number of peaks that reach a threshold; if `full`, at least so many.
    [[nodiscard]] std::int64_t survivors(double threshold) const;
    /// The best peaks that do not reach it, at most `most`.
    [[nodiscard]] std::vector<match::Peak> below(double threshold, std::size_t most) const;
};

/// Largest number of peaks of a pool.
inline constexpr std::int64_t kMostPooled = 20'000;

/// Empty if cancelled. **Errors**, **Cost**: as job::extractPeaks.
[[nodiscard]] std::optional<PeakPool> poolOf(const job::KeptMap& kept,
                                             const job::PeakThresholds& thresholds,
                                             const std::stop_token& stop);

} // namespace flcc::ui
