#include <cmath>
#include <memory>

#include "engine/method/canonical.h"
#include "engine/method/operation_template.h"

namespace flcc::method {

CanonicalTemplate::CanonicalTemplate(const MaskedView& templ, Operation operation) {
    if (operation.isLcc()) {
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

} // namespace flcc::method
