#include "engine/cpu/score/integer_template.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/base/image.h"
#include "engine/cpu/common/for_items.h"

namespace flcc::cpu {

namespace {

using base::Extents;

/// Largest magnitude of sums of products.
constexpr double kMostSum = 2147483647;

/// Elements of a template's rows in pairs, with slack.
std::int64_t pairCount(const Extents& m) { return (m.x + 1) / 2 * m.y * m.z + simd::kSlack; }

} // namespace

std::optional<IntegerTemplate> IntegerTemplate::of(const method::Problem& problem,
                                                   const method::MaskedView& templ) {
    if (problem.precision != method::Precision::Single || method::isMasked(templ)) {
        return std::nullopt;
    }
    const Extents m = templ.extents();
    base::Image<float> x({base::voxelCount(m) + simd::kSlack, 1, 1});
    std::fill_n(x.data() + base::voxelCount(m), simd::kSlack, 0.0F);
    const simd::FloatBox box{x.data(), m.x, m.x * m.y};
    const CentredTile tile = loadCentred(templ.pixels, {{}, m}, base::voxelCount(m), box);
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
    : m_count(static_cast<double>(base::voxelCount(m))), m_steps(tile.steps), m_level(tile.level),
      m_quantum(tile.quantum) {
    m_pairs.resize(static_cast<std::size_t>(pairCount(m)), 0);
    // a power of two: the product is exact
    const auto scale = static_cast<float>(tile.stepsPerUnit());
    std::vector<std::int16_t> steps(static_cast<std::size_t>(m.x + m.x % 2 + simd::kSlack), 0);
    simd::StepSums sums;
    std::int32_t* pairs = m_pairs.data();
    for (std::int64_t z = 0; z < m.z; ++z) {
        for (std::int64_t y = 0; y < m.y; ++y) {
            simd::loadSteps(x.data + z * x.sliceStride + y * x.rowStride, m.x, scale, steps.data());
            steps[static_cast<std::size_t>(m.x)] = 0;
            simd::addSteps(steps.data(), m.x, sums);
            static_assert(std::endian::native == std::endian::little);
            const std::int64_t row = (m.x + 1) / 2;
            std::memcpy(pairs, steps.data(), 4 * static_cast<std::size_t>(row));
            pairs += row;
        }
    }
    m_sum = static_cast<double>(sums.values);
    m_squares = static_cast<double>(sums.squares);
    m_norm = std::sqrt((m_count * static_cast<double>(sums.squares) - m_sum * m_sum) / m_count);
}

TemplateForms TemplateForms::of(const method::Problem& problem, const method::MaskedView& templ,
                                base::TilePool& pool) {
    // smaller templates take less time than waking a thread
    constexpr std::int64_t kLarge = 1 << 13;
    std::optional<method::CanonicalTemplate> canonical;
    std::optional<IntegerTemplate> integers;
    const ForItems each =
        base::voxelCount(templ.extents()) < kLarge ? oneAfterTheOther() : itemsOf(pool);
    // The shorter item comes first: if the second thread wakes late, the first does both.
    (void)each(2, [&](std::int64_t item, int) {
        if (item == 0) {
            integers = IntegerTemplate::of(problem, templ);
        } else {
            canonical.emplace(templ, problem.operation);
        }
    });
    return {std::move(canonical).value(), std::move(integers)};
}

} // namespace flcc::cpu
