#include "tests/bench/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace flcc::bench {

std::string sizeText(const base::Extents& extents) {
    const std::string text = base::toString(extents);
    return base::isFlat2D(extents) ? text.substr(0, text.rfind('x')) : text;
}

std::string fixed(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string methodText(const method::Candidate& candidate) {
    return candidate.method + (candidate.tile.x > 0 ? " " + sizeText(candidate.tile) : "");
}

void Cells::add(const std::string& cell, double ratio) {
    double& least = m_least.try_emplace(cell, ratio).first->second;
    least = std::min(least, ratio);
}

std::string Cells::summary() const {
    std::vector<double> ratios;
    for (const auto& [cell, ratio] : m_least) {
        ratios.push_back(ratio);
    }
    return "Geometric mean of the cells " + fixed(geometricMean(ratios), 1) + ", least " +
           fixed(std::ranges::min(ratios), 1);
}

double geometricMean(const std::vector<double>& values) {
    double logarithms = 0;
    for (const double value : values) {
        logarithms += std::log(value);
    }
    return std::exp(logarithms / static_cast<double>(values.size()));
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

} // namespace flcc::bench
