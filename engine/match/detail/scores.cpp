#include "engine/match/detail/scores.h"

namespace flcc::match::detail {

namespace {

/// A LOWCONF bound can be anything up to infinity; beyond this it no longer widens the search.
constexpr double kLargestLowConfMargin = 0.05;
constexpr std::int64_t kFewestScores = 10'000;
constexpr std::int64_t kVoxelBudget = 4'000'000'000;

} // namespace

Scores::Scores(const method::MaskedView& scene, const method::CanonicalTemplate& templ,
               const base::View<const float>& value, const base::View<const base::Status>& status,
               const method::MapFacts& facts)
    : m_scene(scene), m_templ(&templ), m_value(value), m_status(status) {
    const std::int64_t count = base::voxelCount(templ.extents());
    m_canonicalBound = method::canonicalBound(count);
    m_margin = facts.largestBound + m_canonicalBound;
    m_lowConfMargin = std::min(std::max(facts.largestLowConf, facts.largestBound),
                               std::max(kLargestLowConfMargin, facts.largestBound)) +
                      m_canonicalBound;
    m_budget = std::max(kFewestScores, kVoxelBudget / count);
}

Score Scores::score(const base::Index& at) {
    const std::int64_t key = linear(at);
    const auto known = m_known.find(key);
    if (known != m_known.end()) {
        return {known->second, m_canonicalBound};
    }
    if (m_budget == 0) {
        return {static_cast<double>(m_value.at(at)), margin(m_status.at(at))};
    }
    --m_budget;
    const double value = method::canonicalScore(m_scene, *m_templ, at);
    m_known.emplace(key, value);
    return {value, m_canonicalBound};
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
