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

template <class T> Differences exactDifferences(const std::vector<T>& values) {
    if constexpr (std::is_integral_v<T>) {
        Differences result;
        result.values.reserve(values.size());
        const auto first = static_cast<Int128>(values.front());
        for (const T value : values) {
            const Int128 difference = static_cast<Int128>(value) - first;
            result.values.push_back(difference);
            result.spread = std::max(result.spread, difference < 0 ? -difference : difference);
        }
        return result;
    } else {
        throw base::Error(base::ErrorCode::Problem,
                          "exact scores need integer pixels, not floating-point ones");
    }
}

// 2 N^2 a b bounds every sum and product below, and the difference of two of them; with Eibl's rule
// there is one more N.
void requireRoom(std::size_t count, Int128 a, Int128 b, Int128 more = 1) {
    const auto n = static_cast<Int128>(count);
    Int128 bound = 2;
    bool overflow = false;
    for (const Int128 factor : {n, n, a, b, more}) {
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

ExactLcc::ExactLcc(const method::MaskedView& templ, method::Outside outside, double minOverlap)
    : m_extents(templ.extents()), m_outside(outside), m_minOverlap(minOverlap) {
    method::requireUsableTemplate(templ);
    if (method::hasWeights(templ)) {
        throw base::Error(base::ErrorCode::Problem, "exact scores need a mask of 0 and 1");
    }
    m_support = supportOf(templ);
    Differences differences = std::visit(
        [&](const auto& pixels) {
            return exactDifferences(seenPanel(pixels, {}, m_support, {}).values);
        },
        templ.pixels);
    requireRoom(differences.values.size(), differences.spread, differences.spread);
    m_templ = std::move(differences.values);
    m_spread = differences.spread;
}

Score ExactLcc::at(const method::MaskedView& scene, const base::Index& corner) const {
    return std::visit(
        [&](const auto& pixels) {
            return scoreOf(seenPanel(pixels, scene.mask, m_support, corner));
        },
        scene.pixels);
}

template <class T> Score ExactLcc::scoreOf(const SeenPanel<T>& seen) const {
    const base::Status status = statusOf(seen, m_outside, m_minOverlap);
    if (!base::hasValue(status)) {
        return {0, status};
    }
    const bool partial = status == base::Status::Partial;
    const bool overlap = partial && m_outside == method::Outside::Overlap;
    const bool eibl = partial && m_outside == method::Outside::Eibl;
    const Differences panel = exactDifferences(overlap ? seen.insideOf(seen.values) : seen.values);
    const std::vector<Int128> templ = overlap ? seen.insideOf(m_templ) : m_templ;
    const auto count = static_cast<Int128>(templ.size());
    requireRoom(templ.size(), panel.spread, std::max(panel.spread, m_spread), eibl ? count : 1);
    const Int128 panelSum = sum(panel.values);
    const Int128 templSum = sum(templ);
    const Int128 variance = centredProduct(panel.values, panelSum, panel.values, panelSum);
    const Int128 templVariance = centredProduct(templ, templSum, templ, templSum);
    if (templVariance == 0) { // constant on the overlap
        return {0, base::Status::Flat};
    }
    Int128 numerator = 0;
    if (eibl) { // N times the sum over the inside of (P - mean) (T - mean)
        for (std::size_t i = 0; i < templ.size(); ++i) {
            if (seen.inside[i] != 0) {
                numerator += (count * panel.values[i] - panelSum) * (count * templ[i] - templSum);
            }
        }
    } else {
        numerator = centredProduct(panel.values, panelSum, templ, templSum);
    }
    const double score = static_cast<double>(numerator) / (eibl ? static_cast<double>(count) : 1) /
                         std::sqrt(static_cast<double>(variance)) /
                         std::sqrt(static_cast<double>(templVariance));
    return {std::clamp(score, -1.0, 1.0), status};
}

ScoreMap ExactLcc::map(const method::MaskedView& scene, method::Extent extent) const {
    return scoreAll(placementsOf(scene, m_extents, extent),
                    [&](const base::Index& corner) { return at(scene, corner); });
}

} // namespace flcc::reference
