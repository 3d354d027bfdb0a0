#include "engine/reference/lcc.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "engine/method/canonical.h"
#include "engine/reference/panel.h"
#include "engine/reference/ranks.h"

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

Lcc::Lcc(const method::MaskedView& templ, method::Outside outside, double minOverlap)
    : m_extents(templ.extents()), m_outside(outside), m_minOverlap(minOverlap) {
    method::requireUsableTemplate(templ);
    m_support = supportOf(templ);
    m_ranks = ranksOf(templ.pixels, m_support);
    m_templ = std::visit(
        [&](const auto& pixels) {
            return differencesFromFirst(seenPanel(pixels, {}, m_support, {}).view());
        },
        templ.pixels);
    subtractMean(m_templ);
    subtractMean(m_templ); // the first mean is rounded
    const double norm = std::sqrt(product(m_templ, m_templ));
    std::for_each(m_templ.begin(), m_templ.end(), [norm](double& value) { value /= norm; });
}

Score Lcc::at(const method::MaskedView& scene, const base::Index& corner) const {
    return std::visit(
        [&](const auto& pixels) {
            return scoreOf(seenPanel(pixels, scene.mask, m_support, corner));
        },
        scene.pixels);
}

base::Status Lcc::statusAt(const method::MaskedView& scene, const base::Index& corner) const {
    return std::visit(
        [&](const auto& pixels) {
            return fullStatusOf(seenPanel(pixels, scene.mask, m_support, corner));
        },
        scene.pixels);
}

template <class T> base::Status Lcc::fullStatusOf(const SeenPanel<T>& panel) const {
    const base::Status status = statusOf(panel, m_outside, m_minOverlap);
    const bool constantTemplate = status == base::Status::Partial &&
                                  m_outside == method::Outside::Overlap &&
                                  allEqual(panel.insideOf(m_ranks));
    return constantTemplate ? base::Status::Flat : status;
}

template <class T> Score Lcc::scoreOf(const SeenPanel<T>& panel) const {
    const base::Status status = fullStatusOf(panel);
    if (!base::hasValue(status)) {
        return {0, status};
    }
    std::vector<double> q = differencesFromFirst(panel.view());
    std::vector<double> weights = m_templ;
    if (status == base::Status::Partial && m_outside == method::Outside::Overlap) {
        const std::vector<T> inside = panel.insideOf(panel.values);
        q = differencesFromFirst(base::View<const T>(inside.data(), {std::ssize(inside), 1, 1}));
        weights = panel.insideOf(m_templ);
        subtractMean(weights);
        subtractMean(weights);
        const double norm = std::sqrt(product(weights, weights));
        std::for_each(weights.begin(), weights.end(), [norm](double& value) { value /= norm; });
    }
    subtractMean(q);
    const double rest = sum(q); // the remainder of the mean, left by rounding
    const double squares = product(q, q) - rest * rest / static_cast<double>(q.size());
    if (m_outside == method::Outside::Eibl) { // beyond the scene the panel has its own mean
        for (std::size_t i = 0; i < q.size(); ++i) {
            weights[i] = panel.inside[i] != 0 ? weights[i] : 0.0;
        }
    }
    return {std::clamp(product(q, weights) / std::sqrt(squares), -1.0, 1.0), status};
}

ScoreMap Lcc::map(const method::MaskedView& scene, method::Extent extent) const {
    return scoreAll(placementsOf(scene, m_extents, extent),
                    [&](const base::Index& corner) { return at(scene, corner); });
}

} // namespace flcc::reference
