#include "engine/cpu/tile/support_template.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace flcc::cpu {

using base::Index;

SupportTemplate::SupportTemplate(const method::CanonicalTemplate& canonical,
                                 const method::MaskedView& templ)
    : m_stored(base::copyOf(templ.pixels)), m_count(canonical.count()) {
    const base::Extents& m = canonical.extents();
    const base::Image<std::uint8_t>& support = canonical.support();
    for (base::Image<double>& weights : m_weights) {
        weights = base::Image<double>(m);
    }
    for (std::int64_t i = 0; i < m_weights[0].count(); ++i) {
        set(i, canonical.values().data()[i], support.empty() || support.data()[i] != 0);
    }
    m_norms[0] = 1;
    m_norms[1] = std::sqrt(static_cast<double>(m_count));
    m_norms[2] = std::sqrt(m_norms[2]);
}

SupportTemplate::SupportTemplate(const method::MaskedView& templ, double level, int exponent)
    : m_count(method::supportCount(templ)) {
    const base::Extents m = templ.extents();
    for (base::Image<double>& weights : m_weights) {
        weights = base::Image<double>(m, 0.0);
    }
    for (std::int64_t i = 0; i < m_weights[0].count(); ++i) {
        const Index at{i % m.x, i / m.x % m.y, i / (m.x * m.y)};
        const bool counts = templ.mask.data() == nullptr || templ.mask.at(at) != 0;
        const double value =
            counts ? std::ldexp(base::valueAt(templ.pixels, at), -exponent) - level : 0;
        set(i, value, counts);
        m_norms[0] += value * value;
    }
    m_norms[0] = std::sqrt(m_norms[0]);
    m_norms[1] = std::sqrt(static_cast<double>(m_count));
    m_norms[2] = std::sqrt(m_norms[2]);
}

void SupportTemplate::set(std::int64_t i, double that, bool counts) {
    const base::Extents& m = extents();
    m_weights[0].data()[i] = that;
    m_weights[1].data()[i] = counts ? 1 : 0;
    m_weights[2].data()[i] = that * that;
    m_norms[2] += that * that * that * that;
    if (!counts) {
        return;
    }
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
    return base::byteCount(problem.templ, static_cast<std::int64_t>(kWeights) * 8 +
                                              base::bytesPerVoxel(problem.templPixel));
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
