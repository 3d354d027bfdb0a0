#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "engine/method/canonical.h"
#include "engine/method/detail/support_differences.h"
#include "engine/method/operation_template.h"

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

CanonicalTemplate::CanonicalTemplate(const MaskedView& templ, Operation operation) {
    if (operation.traits().hasRowScorer) {
        *this = CanonicalTemplate(templ);
        return;
    }
    m_values = base::Image<double>(templ.extents(), 0.0);
    m_count = supportCount(templ);
    if (isMasked(templ)) {
        setSupport(templ);
    }
    setWeights(templ, operation);
}

OperationValue canonicalValue(Operation operation, const MaskedView& scene,
                              const CanonicalTemplate& templ, const base::Index& corner,
                              Outside outside, double minOverlap) {
    if (templ.operand() != nullptr) {
        return templ.operand()->value(operation, scene, corner, outside, minOverlap);
    }
    const CanonicalValue found = canonicalValue(scene, templ, corner, outside);
    return {found.score, found.bound, 1, found.scored ? base::Status::Ok : base::Status::Flat};
}

void CanonicalTemplate::setWeights(const MaskedView& templ, Operation operation) {
    m_operand = std::make_shared<OperationTemplate>(templ, operation);
    m_frame.whole = m_operand->isInteger(base::PixelType::UInt8);
    long double sum = 0;
    m_operand->forVoxels([&](const base::Index&, long double value) { sum += value; });
    const auto mean = static_cast<double>(sum / static_cast<long double>(m_count));
    m_frame.level = m_frame.whole ? std::nearbyint(mean) : mean;
    const auto level = static_cast<long double>(m_frame.level);
    long double squares = 0;
    m_operand->forVoxels([&](const base::Index&, long double value) {
        squares += (value - level) * (value - level);
    });
    const int exponent = squares > 0 ? unitExponent(std::sqrt(squares)) : 0;
    m_frame.unit = std::ldexp(1.0, exponent);
    long double sumOfWeights = 0;
    m_operand->forVoxels([&](const base::Index& at, long double value) {
        const long double weight = std::ldexp(value - level, -exponent);
        m_values.view().at(at) = static_cast<double>(weight);
        sumOfWeights += weight;
    });
    m_frame.sum = static_cast<double>(sumOfWeights);
    m_frame.squares = static_cast<double>(std::ldexp(squares, -2 * exponent));
}

void CanonicalTemplate::setWeighted(const MaskedView& templ) {
    const base::Extents& m = extents();
    m_weights = base::Image<double>(m, 0.0);
    m_levels = base::Image<double>(m, 0.0);
    WeightedSum total;
    for (std::int64_t i = 0; i < m_weights.count(); ++i) {
        if (m_support.data()[i] != 0) {
            m_weights.data()[i] =
                templ.weights.at(base::Index{i % m.x, i / m.x % m.y, i / (m.x * m.y)});
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
