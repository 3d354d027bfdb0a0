#pragma once

#include <algorithm>
#include <vector>

namespace flcc::base {

/// The middle one of `values`, of an even number the upper one. **Shapes**: one value at least.
[[nodiscard]] inline double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace flcc::base
