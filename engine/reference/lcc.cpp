#include "engine/reference/lcc.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "engine/method/canonical.h"
#include "engine/reference/panel.h"

namespace flcc::reference {

namespace {

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtractMean(std::vector<double>& values) {
    const double mean = sum(values) / static_cast<double>(values.size());
    std::for_each(values.begin(), values.end(), [mean](double& value) { value -= mean; });
}

} // namespace

Lcc::Lcc(const base::AnyView& templ) : m_extents(base::extentsOf(templ)) {
    method::requireUsableTemplate(templ);
    m_templ = std::visit([](const auto& pixels) { return differencesFromFirst(pixels); }, templ);
    subtractMean(m_templ);
    subtractMean(m_templ); // the first mean is rounded
    const double norm = std::sqrt(product(m_templ, m_templ));
    std::for_each(m_templ.begin(), m_templ.end(), [norm](double& value) { value /= norm; });
}

Score Lcc::at(const base::AnyView& scene, const base::Index& corner) const {
    const base::AnyView panel = base::partOf(scene, {corner, m_extents});
    const base::Status status =
        std::visit([](const auto& pixels) { return panelStatus(pixels); }, panel);
    if (status != base::Status::Ok) {
        return {0, status};
    }
    std::vector<double> q =
        std::visit([](const auto& pixels) { return differencesFromFirst(pixels); }, panel);
    subtractMean(q);
    const double rest = sum(q); // what rounding left of the mean
    const double squares = product(q, q) - rest * rest / static_cast<double>(q.size());
    return {std::clamp(product(q, m_templ) / std::sqrt(squares), -1.0, 1.0), status};
}

ScoreMap Lcc::map(const base::AnyView& scene) const {
    return scoreAll(base::validExtents(base::extentsOf(scene), m_extents),
                    [&](const base::Index& corner) { return at(scene, corner); });
}

} // namespace flcc::reference
