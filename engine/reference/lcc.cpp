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

using Doubles = std::vector<double>;

double sum(const Doubles& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// sum w a
double sum(const Doubles& a, const Doubles& w) {
    return std::inner_product(a.begin(), a.end(), w.begin(), 0.0);
}

/// sum w a b
double product(const Doubles& a, const Doubles& b, const Doubles& w) {
    double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        total += w[i] * (a[i] * b[i]);
    }
    return total;
}

void subtractMean(Doubles& values, const Doubles& w) {
    const double mean = sum(values, w) / sum(w);
    std::for_each(values.begin(), values.end(), [mean](double& value) { value -= mean; });
}

/// Differences to one voxel leave the mean of the others rounded if that one weighs little, so the
/// mean is subtracted twice.
void normalise(Doubles& values, const Doubles& w) {
    subtractMean(values, w);
    subtractMean(values, w);
    const double norm = std::sqrt(product(values, values, w));
    std::for_each(values.begin(), values.end(), [norm](double& value) { value /= norm; });
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
    for (const base::Index& at : m_support) {
        m_weights.push_back(templ.weights.data() == nullptr ? 1.0 : templ.weights.at(at));
    }
    m_weighted = method::hasWeights(templ);
    normalise(m_templ, m_weights);
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
    std::vector<double> templ = m_templ;
    std::vector<double> weights = m_weights;
    if (status == base::Status::Partial && m_outside == method::Outside::Overlap) {
        const std::vector<T> inside = panel.insideOf(panel.values);
        q = differencesFromFirst(base::View<const T>(inside.data(), {std::ssize(inside), 1, 1}));
        templ = panel.insideOf(m_templ);
        weights = panel.insideOf(m_weights);
        normalise(templ, weights);
    }
    subtractMean(q, weights);
    if (m_weighted) {
        subtractMean(q, weights);
    }
    const double rest = sum(q, weights); // the remainder of the mean, left by rounding
    const double squares = product(q, q, weights) - rest * rest / sum(weights);
    if (m_outside == method::Outside::Eibl) { // beyond the scene the panel has its own mean
        for (std::size_t i = 0; i < q.size(); ++i) {
            templ[i] = panel.inside[i] != 0 ? templ[i] : 0.0;
        }
    }
    return {std::clamp(product(q, templ, weights) / std::sqrt(squares), -1.0, 1.0), status};
}

ScoreMap Lcc::map(const method::MaskedView& scene, method::Extent extent) const {
    return scoreAll(placementsOf(scene, m_extents, extent),
                    [&](const base::Index& corner) { return at(scene, corner); });
}

} // namespace flcc::reference
