#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/method/canonical.h"
#include "engine/method/detail/support_differences.h"

namespace flcc::method {

namespace {

/// A sum whose rounding errors are added at the end (Neumaier).
class WeightedSum {
  public:
    void add(double value) {
        const double sum = m_sum + value;
        m_error +=
            std::abs(m_sum) >= std::abs(value) ? (m_sum - sum) + value : (value - sum) + m_sum;
        m_sum = sum;
    }
    [[nodiscard]] double value() const { return m_sum + m_error; }

  private:
    double m_sum = 0;
    double m_error = 0;
};

} // namespace

void CanonicalTemplate::setWeighted(const MaskedView& templ) {
    const base::Extents& m = extents();
    m_weights = base::Image<double>(m, 0.0);
    m_levels = base::Image<double>(m, 0.0);
    WeightedSum total;
    for (std::int64_t i = 0; i < m_weights.count(); ++i) {
        if (m_support.data()[i] != 0) {
            m_weights.data()[i] = static_cast<double>(
                templ.weights.at(base::Index{i % m.x, i / m.x % m.y, i / (m.x * m.y)}));
            total.add(m_weights.data()[i]);
        }
    }
    m_total = total.value();
    // As without weights: differences to one voxel, the mean, and what rounding left of it.
    base::Image<double>& differences = m_levels;
    const auto take = [&](double by) {
        std::visit(
            [&](const auto& view) { detail::differencesUnder(view, m_support, by, differences); },
            templ.pixels);
        double largest = 0;
        for (std::int64_t i = 0; i < differences.count(); ++i) {
            largest = std::max(largest, std::abs(differences.data()[i]));
        }
        const double scale =
            largest > 0 ? std::ldexp(1.0, std::min(1022, -std::ilogb(largest))) : 1.0;
        WeightedSum mean;
        for (std::int64_t i = 0; i < differences.count(); ++i) {
            differences.data()[i] *= scale;
            mean.add(m_weights.data()[i] * differences.data()[i]);
        }
        return std::pair(mean.value() / m_total, scale);
    };
    auto [mean, scale] = take(0);
    if (detail::maySpoilDifferences(base::pixelType(templ.pixels))) {
        mean = take(mean / scale).first; // differences to a value near the mean are more exact
    }
    WeightedSum left;
    for (std::int64_t i = 0; i < differences.count(); ++i) {
        left.add(m_weights.data()[i] * (differences.data()[i] - mean));
    }
    const double rest = left.value() / m_total;
    WeightedSum squares;
    for (std::int64_t i = 0; i < differences.count(); ++i) {
        const double value = differences.data()[i] - mean - rest;
        squares.add(m_weights.data()[i] * value * value);
    }
    const double norm = std::sqrt(squares.value());
    for (std::int64_t i = 0; i < differences.count(); ++i) {
        const bool counts = m_support.data()[i] != 0;
        m_levels.data()[i] = counts ? (differences.data()[i] - mean - rest) / norm : 0;
        m_values.data()[i] = m_weights.data()[i] * m_levels.data()[i];
    }
}

} // namespace flcc::method
