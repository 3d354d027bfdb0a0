#include "engine/filter/kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/rank_one.h"

namespace flcc::filter {

namespace {

using base::Error;
using base::ErrorCode;
using base::Extents;
using base::Image;

double magnitudes(const std::vector<double>& taps) {
    return std::accumulate(taps.begin(), taps.end(), 0.0,
                           [](double sum, double tap) { return sum + std::abs(tap); });
}

double squares(const std::vector<double>& taps) {
    return std::inner_product(taps.begin(), taps.end(), taps.begin(), 0.0);
}

bool isInteger(double value) { return value == std::floor(value) && std::abs(value) < 0x1p53; }

} // namespace

Kernel::Kernel(std::string name, std::vector<Term> terms, double divisor)
    : m_name(std::move(name)), m_divisor(divisor), m_terms(std::move(terms)), m_integers(true) {
    const auto length = [&](std::size_t axis) {
        return static_cast<std::int64_t>(m_terms.front().axes[axis].taps.size());
    };
    m_extents = {length(0), length(1), length(2)};
    for (const Term& term : m_terms) {
        double sum = std::abs(term.factor);
        double square = term.factor * term.factor;
        m_integers = m_integers && isInteger(term.factor);
        for (const AxisFilter& axis : term.axes) {
            sum *= magnitudes(axis.taps);
            square *= squares(axis.taps);
            m_integers = m_integers && std::all_of(axis.taps.begin(), axis.taps.end(), isInteger);
        }
        m_magnitudes += sum;
        m_norm += std::sqrt(square);
    }
}

Kernel::Kernel(std::string name, const base::AnyView& weights, method::Precision precision)
    : m_name(std::move(name)), m_extents(base::extentsOf(weights)), m_weights(m_extents),
      m_integers(true) {
    double square = 0;
    double* to = m_weights.data();
    for (std::int64_t z = 0; z < m_extents.z; ++z) {
        for (std::int64_t y = 0; y < m_extents.y; ++y) {
            for (std::int64_t x = 0; x < m_extents.x; ++x) {
                const double weight = base::valueAt(weights, {x, y, z});
                if (!std::isfinite(weight)) {
                    throw Error(ErrorCode::Problem,
                                fmt::format("kernel {} holds {} at {}; its weights must be finite",
                                            m_name, weight, base::toString(base::Index{x, y, z})));
                }
                m_magnitudes += std::abs(weight);
                square += weight * weight;
                m_integers = m_integers && isInteger(weight);
                *to++ = weight;
            }
        }
    }
    if (m_magnitudes == 0) {
        throw Error(ErrorCode::Problem, "kernel " + m_name + " holds only zeros");
    }
    m_norm = std::sqrt(square);
    const base::RankOne fit = base::rankOne(m_weights.view());
    m_residual = fit.residual;
    const double unit = precision == method::Precision::Single ? 0x1p-24 : 0x1p-53;
    if (fit.residual <= 4 * unit) {
        Term term;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            term.axes[axis].taps = fit.factors[axis];
        }
        m_terms.push_back(std::move(term));
        m_residualSum = fit.residualSum;
    }
}

bool Kernel::hasWeights() const {
    return !m_weights.empty() ||
           (m_extents.x <= kMostWeights && m_extents.y <= kMostWeights &&
            m_extents.z <= kMostWeights &&
            static_cast<double>(m_extents.x) * static_cast<double>(m_extents.y) *
                    static_cast<double>(m_extents.z) <=
                static_cast<double>(kMostWeights));
}

Image<double> Kernel::flippedWeights() const {
    Image<double> to(m_extents, 0.0);
    const base::View<double> view = to.view();
    for (std::int64_t z = 0; z < m_extents.z; ++z) {
        for (std::int64_t y = 0; y < m_extents.y; ++y) {
            const std::int64_t fromZ = m_extents.z - 1 - z;
            const std::int64_t fromY = m_extents.y - 1 - y;
            double* const row = view.row(y, z);
            if (!m_weights.empty()) {
                const double* const from = m_weights.view().row(fromY, fromZ);
                std::reverse_copy(from, from + m_extents.x, row);
                continue;
            }
            for (const Term& term : m_terms) {
                const double across = term.factor *
                                      term.axes[1].taps[static_cast<std::size_t>(fromY)] *
                                      term.axes[2].taps[static_cast<std::size_t>(fromZ)];
                const std::vector<double>& along = term.axes[0].taps;
                for (std::int64_t x = 0; x < m_extents.x; ++x) {
                    row[x] += across * along[static_cast<std::size_t>(m_extents.x - 1 - x)];
                }
            }
        }
    }
    return to;
}

std::vector<double> Kernel::flipped(const std::vector<double>& taps) {
    return {taps.rbegin(), taps.rend()};
}

} // namespace flcc::filter
