#pragma once

#include <algorithm>
#include <vector>

namespace flcc::base {

/// The median of `values`; for an even count, the upper of the two middle values. **Shapes**: at
/// least one value.
[[nodiscard]] inline double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace flcc::base
