#include "engine/cpu/operation/rim_template.h"

#include <algorithm>

namespace flcc::cpu {

RimTemplate::RimTemplate(const method::Problem& problem, const method::CanonicalTemplate& canonical,
                         const SupportTemplate& templ)
    : m_canonical(&canonical), m_count(templ.weights(Weights::Count)),
      m_that(templ.weights(Weights::That)) {
    if (templ.weighted()) {
        m_weights.emplace(templ.weights(Weights::Support));
    }
    if (problem.outside == method::Outside::Overlap) {
        m_squares.emplace(templ.weights(Weights::Square));
    }
}

const RimTemplate::Spectra& RimTemplate::of(const TransformShape& points) const {
    const std::lock_guard lock(m_lock);
    const auto known = std::find_if(m_spectra.begin(), m_spectra.end(),
                                    [&](const Spectra& one) { return one.points == points; });
    if (known != m_spectra.end()) {
        return *known;
    }
    return m_spectra.emplace_back(Spectra{
        points,
        TileTransform<float>::of(points)->templateSpectrum(m_canonical->values().view(),
                                                           oneAfterTheOther()),
        m_canonical->support().empty() ? nullptr
                                       : MaskWeights::of(*m_canonical, points, points, false)});
}

std::int64_t RimTemplate::bytes(const method::Problem& problem, const TransformShape& points) {
    const std::int64_t tables =
        2 + (problem.weights ? 1 : 0) + (problem.outside == method::Outside::Overlap ? 1 : 0);
    std::int64_t bytes = tables * ClippedSums::bytes(problem.templ);
    std::vector<TransformShape> shapes;
    for (const RimCost& part : rimCosts(problem, points, {1, 1, 1})) {
        if (std::find(shapes.begin(), shapes.end(), part.points) == shapes.end()) {
            shapes.push_back(part.points);
            bytes += TileTransform<float>::spectrumValues(part.points) * 4 * (problem.mask ? 2 : 1);
        }
    }
    return bytes;
}

} // namespace flcc::cpu
