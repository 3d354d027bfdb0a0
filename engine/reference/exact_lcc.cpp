#include "engine/reference/exact_lcc.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <variant>

#include "engine/base/error.h"
#include "engine/method/canonical.h"

namespace flcc::reference {

namespace {

struct Differences {
    std::vector<Int128> values;
    Int128 spread = 0;
};

Differences exactDifferences(const base::AnyView& panel) {
    return std::visit(
        [](const auto& pixels) -> Differences {
            using Voxel = std::remove_cvref_t<decltype(*pixels.data())>;
            if constexpr (std::is_integral_v<Voxel>) {
                Differences result;
                const auto first = static_cast<Int128>(*pixels.data());
                forEachVoxel(pixels, [&](Voxel voxel) {
                    const Int128 difference = static_cast<Int128>(voxel) - first;
                    result.values.push_back(difference);
                    result.spread =
                        std::max(result.spread, difference < 0 ? -difference : difference);
                });
                return result;
            } else {
                throw base::Error(base::ErrorCode::Problem,
                                  "exact scores need integer pixels, not floating-point ones");
            }
        },
        panel);
}

// 2 N^2 a b bounds every sum and product below, and the difference of two of them.
void requireRoom(std::size_t count, Int128 a, Int128 b) {
    const auto n = static_cast<Int128>(count);
    Int128 bound = 2;
    bool overflow = false;
    for (const Int128 factor : {n, n, a, b}) {
        overflow = __builtin_mul_overflow(bound, factor, &bound) || overflow;
    }
    if (overflow) {
        throw base::Error(base::ErrorCode::Problem,
                          "the exact sums of a panel of " + std::to_string(count) +
                              " voxels of this range need more than 128 bits");
    }
}

Int128 centredProduct(const std::vector<Int128>& a, Int128 sumA, const std::vector<Int128>& b,
                      Int128 sumB) {
    Int128 products = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        products += a[i] * b[i];
    }
    return static_cast<Int128>(a.size()) * products - sumA * sumB;
}

Int128 sum(const std::vector<Int128>& values) {
    Int128 total = 0;
    for (const Int128 value : values) {
        total += value;
    }
    return total;
}

} // namespace

ExactLcc::ExactLcc(const base::AnyView& templ) : m_extents(base::extentsOf(templ)) {
    method::requireUsableTemplate(templ);
    Differences differences = exactDifferences(templ);
    requireRoom(differences.values.size(), differences.spread, differences.spread);
    m_templ = std::move(differences.values);
    m_spread = differences.spread;
    m_sum = sum(m_templ);
    m_variance = centredProduct(m_templ, m_sum, m_templ, m_sum);
}

Score ExactLcc::at(const base::AnyView& scene, const base::Index& corner) const {
    const Differences panel = exactDifferences(base::partOf(scene, {corner, m_extents}));
    if (panel.spread == 0) {
        return {0, base::Status::Flat};
    }
    requireRoom(panel.values.size(), panel.spread, std::max(panel.spread, m_spread));
    const Int128 panelSum = sum(panel.values);
    const Int128 numerator = centredProduct(panel.values, panelSum, m_templ, m_sum);
    const Int128 variance = centredProduct(panel.values, panelSum, panel.values, panelSum);
    const double score = static_cast<double>(numerator) / std::sqrt(static_cast<double>(variance)) /
                         std::sqrt(static_cast<double>(m_variance));
    return {std::clamp(score, -1.0, 1.0), base::Status::Ok};
}

ScoreMap ExactLcc::map(const base::AnyView& scene) const {
    return scoreAll(base::validExtents(base::extentsOf(scene), m_extents),
                    [&](const base::Index& corner) { return at(scene, corner); });
}

} // namespace flcc::reference
