#include "engine/cpu/tile/support_template.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace flcc::cpu {

using base::Index;

SupportTemplate::SupportTemplate(const method::CanonicalTemplate& canonical,
                                 const method::MaskedView& templ)
    : m_stored(base::copyOf(templ.pixels)), m_count(canonical.count()) {
    const bool weighted = !canonical.weights().empty();
    make(canonical.extents(), weighted);
    const base::Image<std::uint8_t>& support = canonical.support();
    const double* const values = canonical.values().data();
    for (std::int64_t i = 0; i < m_weights[0].count(); ++i) {
        const bool counts = support.empty() || support.data()[i] != 0;
        if (weighted) {
            set(i, values[i], canonical.levels().data()[i],
                counts ? canonical.weights().data()[i] : 0);
        } else {
            set(i, values[i], values[i], counts ? 1 : 0);
        }
        if (counts) {
            addToRuns(i);
        }
    }
    m_total = canonical.total();
    m_norms[0] = 1;
    m_norms[1] = std::sqrt(m_total);
    m_norms[2] = std::sqrt(m_norms[2]);
}

SupportTemplate::SupportTemplate(const method::MaskedView& templ, double level, int exponent)
    : m_count(method::supportCount(templ)) {
    const bool weighted = method::hasWeights(templ);
    const base::Extents m = templ.extents();
    make(m, weighted);
    long double total = 0;
    for (std::int64_t i = 0; i < m_weights[0].count(); ++i) {
        const Index at{i % m.x, i / m.x % m.y, i / (m.x * m.y)};
        const bool counts = templ.mask.data() == nullptr || templ.mask.at(at) != 0;
        const double value =
            counts ? std::ldexp(base::valueAt(templ.pixels, at), -exponent) - level : 0;
        const double weight = !counts ? 0 : weighted ? templ.weights.at(at) : 1;
        set(i, weight * value, value, weight);
        total += static_cast<long double>(weight);
        m_norms[0] += weight * (value * value);
        if (counts) {
            addToRuns(i);
        }
    }
    m_total = static_cast<double>(total);
    m_norms[0] = std::sqrt(m_norms[0]);
    m_norms[1] = std::sqrt(m_total);
    m_norms[2] = std::sqrt(m_norms[2]);
}

void SupportTemplate::make(const base::Extents& m, bool weighted) {
    for (base::Image<double>& weights : m_weights) {
        if (weighted || &weights != &m_weights[3]) {
            weights = base::Image<double>(m, 0.0);
        }
    }
}

void SupportTemplate::set(std::int64_t i, double that, double t, double weight) {
    m_weights[0].data()[i] = that;
    m_weights[1].data()[i] = weight;
    m_weights[2].data()[i] = weight * (t * t);
    m_norms[2] += weight * (t * t * t * t);
    if (weighted()) {
        m_weights[3].data()[i] = weight > 0 ? 1 : 0;
    }
}

void SupportTemplate::addToRuns(std::int64_t i) {
    const base::Extents& m = extents();
    const Index at{i % m.x, i / m.x % m.y, i / (m.x * m.y)};
    const bool goesOn = at.x > 0 && !m_runs.empty() && m_runs.back().start.y == at.y &&
                        m_runs.back().start.z == at.z &&
                        m_runs.back().start.x + m_runs.back().length == at.x;
    if (goesOn) {
        ++m_runs.back().length;
    } else {
        m_runs.push_back({at, 1});
    }
}

std::int64_t SupportTemplate::bytes(const method::Problem& problem) {
    return base::byteCount(problem.templ,
                           (problem.weights ? 32 : 24) + base::bytesPerVoxel(problem.templPixel));
}

bool isConstant(const method::MaskedView& scene, const std::vector<SupportTemplate::Run>& support,
                const Index& corner, bool zero) {
    return std::visit(
        [&](const auto& pixels) {
            std::remove_cvref_t<decltype(*pixels.data())> level{0};
            bool known = zero;
            return forInside(scene, support, corner, [&](const Index&, const Index& at) {
                const auto value = pixels.at(at);
                level = known ? level : value;
                known = true;
                return value == level;
            });
        },
        scene.pixels);
}

bool isTemplateConstant(const method::MaskedView& scene, const SupportTemplate& templ,
                        const Index& corner) {
    return std::visit(
        [&](const auto& pixels) {
            std::remove_cvref_t<decltype(*pixels.data())> level{0};
            bool known = false;
            return forInside(scene, templ.runs(), corner, [&](const Index& in, const Index&) {
                const auto value = pixels.at(in);
                level = known ? level : value;
                known = true;
                return value == level;
            });
        },
        templ.stored());
}

} // namespace flcc::cpu
