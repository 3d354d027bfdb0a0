#pragma once

#include <algorithm>
#include <vector>

#include "engine/job/report.h"

namespace flcc::job::detail {

/// Least, median and largest of at least one value.
[[nodiscard]] inline Spread spreadOf(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    const double median =
        values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    return {values.front(), median, values.back()};
}

} // namespace flcc::job::detail
