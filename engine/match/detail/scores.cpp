#include "engine/match/detail/scores.h"

namespace flcc::match::detail {

namespace {

/// A LOWCONF bound can be anything up to infinity; beyond this it no longer widens the search.
constexpr double kLargestLowConfMargin = 0.05;
/// What canonicalValue() adds to its bound for an overlap whose score was accepted: the template's
/// variance V is then at least 40 2^-53, and 8 2^-53 sqrt(1 / V) is below this.
constexpr double kOverlapBound = 1.4e-8;
constexpr std::int64_t kFewestScores = 10'000;
constexpr std::int64_t kVoxelBudget = 4'000'000'000;

} // namespace

Scores::Scores(const method::MaskedView& scene, const method::CanonicalTemplate& templ,
               const base::View<const float>& value, const base::View<const base::Status>& status,
               const method::MapFacts& facts, const PeakOptions& options)
    : m_scene(scene), m_templ(&templ), m_value(value), m_status(status),
      m_first(options.firstPlacement), m_outside(options.outside),
      m_partialPeaks(options.partialPeaks),
      m_leavesSomeOut(!options.partialPeaks && (scene.mask.data() != nullptr ||
                                                !(options.firstPlacement == base::Index{}))) {
    const std::int64_t count = templ.count();
    m_canonicalBound = method::canonicalBound(count);
    if (m_partialPeaks && m_outside == method::Outside::Overlap) {
        m_canonicalBound += kOverlapBound;
    }
    m_margin = facts.largestBound + m_canonicalBound;
    m_lowConfMargin = std::min(std::max(facts.largestLowConf, facts.largestBound),
                               std::max(kLargestLowConfMargin, facts.largestBound)) +
                      m_canonicalBound;
    m_budget = std::max(kFewestScores, kVoxelBudget / count);
}

bool Scores::takesPart(const base::Index& at) const {
    const base::Status status = m_status.at(at);
    if (!base::hasValue(status) || status == base::Status::Ok || m_partialPeaks) {
        return base::hasValue(status);
    }
    return status == base::Status::LowConf && method::isWhole(m_scene, *m_templ, placement(at));
}

Score Scores::score(const base::Index& at) {
    const std::int64_t key = linear(at);
    const auto known = m_known.find(key);
    if (known != m_known.end()) {
        return known->second;
    }
    if (m_budget == 0) {
        return {static_cast<double>(m_value.at(at)), margin(m_status.at(at))};
    }
    --m_budget;
    const method::CanonicalValue value =
        method::canonicalValue(m_scene, *m_templ, placement(at), m_outside);
    return m_known.emplace(key, Score{value.score, value.bound}).first->second;
}

int Scores::compare(const base::Index& at, double reference) {
    const double value = static_cast<double>(m_value.at(at));
    const double open = margin(m_status.at(at));
    if (value + open < reference) {
        return -1;
    }
    if (value - open > reference) {
        return 1;
    }
    const double exact = score(at).value;
    return exact < reference ? -1 : (exact > reference ? 1 : 0);
}

} // namespace flcc::match::detail
