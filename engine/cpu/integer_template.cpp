#include "engine/cpu/integer_template.h"

#include <cmath>

#include "engine/base/image.h"

namespace flcc::cpu {

namespace {

using base::Extents;

/// Largest magnitude of what is multiplied in integers, and of the sums.
constexpr double kMostSteps = 32767;
constexpr double kMostSum = 2147483647;

/// Rows two by two.
std::int64_t pairCount(const Extents& m) { return (m.x + 1) / 2 * m.y * m.z + simd::kSlack; }

} // namespace

std::optional<IntegerTemplate> IntegerTemplate::of(const method::Problem& problem,
                                                   const method::CanonicalTemplate& canonical,
                                                   const base::AnyView& templ) {
    if (problem.precision != method::Precision::Single || !canonical.support().empty()) {
        return std::nullopt;
    }
    const Extents& m = canonical.extents();
    base::Image<float> x(m, 0.0F);
    const simd::FloatBox box{x.data(), m.x, m.x * m.y};
    const CentredTile tile = loadCentred(templ, {{}, m}, base::voxelCount(m), box);
    if (!tile.exactSums || tile.steps > kMostSteps || tile.nonFinite > 0) {
        return std::nullopt;
    }
    return IntegerTemplate(tile, m, box);
}

std::int64_t IntegerTemplate::bytes(const method::Problem& problem) {
    return problem.precision == method::Precision::Single && !problem.mask
               ? 4 * pairCount(problem.templ)
               : 0;
}

bool IntegerTemplate::fits(double count, double templSteps, double sceneSteps) {
    return templSteps <= kMostSteps && sceneSteps <= kMostSteps &&
           count * templSteps * sceneSteps <= kMostSum;
}

IntegerTemplate::IntegerTemplate(const CentredTile& tile, const Extents& m, const simd::FloatBox& x)
    : m_count(static_cast<double>(base::voxelCount(m))), m_steps(tile.steps) {
    m_pairs.resize(static_cast<std::size_t>(pairCount(m)), 0);
    const auto scale = static_cast<float>(tile.stepsPerUnit()); // a power of two
    std::vector<std::int16_t> steps(static_cast<std::size_t>(m.x + m.x % 2), 0);
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    std::int32_t* pairs = m_pairs.data();
    for (std::int64_t z = 0; z < m.z; ++z) {
        for (std::int64_t y = 0; y < m.y; ++y) {
            const float* const row = x.data + z * x.sliceStride + y * x.rowStride;
            for (std::int64_t i = 0; i < m.x; ++i) {
                const auto step = static_cast<std::int32_t>(row[i] * scale);
                steps[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(step);
                sum += step;
                squares += step * step;
            }
            for (std::size_t i = 0; i < steps.size(); i += 2) {
                *pairs++ = static_cast<std::int32_t>(
                    static_cast<std::uint16_t>(steps[i]) |
                    static_cast<std::uint32_t>(static_cast<std::uint16_t>(steps[i + 1])) << 16U);
            }
        }
    }
    m_sum = static_cast<double>(sum);
    m_norm = std::sqrt((m_count * static_cast<double>(squares) - m_sum * m_sum) / m_count);
}

} // namespace flcc::cpu
