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
    const double squares = before * all.standardDeviation * all.standardDeviation +
                           more * one.standardDeviation * one.standardDeviation +
                           apart * apart * before * more / (before + more);
    all.minimum = std::min(all.minimum, one.minimum);
    all.maximum = std::max(all.maximum, one.maximum);
    all.mean += apart * more / (before + more);
    all.standardDeviation = std::sqrt(squares / (before + more));
    all.count += one.count;
}

} // namespace flcc::job::detail
