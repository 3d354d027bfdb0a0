#pragma once

#include <algorithm>
#include <cmath>

namespace flcc::job::detail {

/// Adds the values that `one` describes to those of `all`: `count`, `minimum`, `maximum`, `mean`
/// and `standardDeviation` are then those of both. Both counts must be above 0.
template <class Statistics> void joinMoments(Statistics& all, const Statistics& one) {
    const auto before = static_cast<double>(all.count);
    const auto more = static_cast<double>(one.count);
    const double apart = one.mean - all.mean;
    const double share = more / (before + more);
    const double rest = before / (before + more);
    all.minimum = std::min(all.minimum, one.minimum);
    all.maximum = std::max(all.maximum, one.maximum);
    all.mean += apart * share;
    // Squares of large values leave the range of doubles.
    all.standardDeviation =
        std::hypot(std::sqrt(rest) * all.standardDeviation,
                   std::sqrt(share) * one.standardDeviation, std::sqrt(rest * share) * apart);
    all.count += one.count;
}

} // namespace flcc::job::detail
