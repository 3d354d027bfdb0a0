#include "engine/match/decision.h"

#include <algorithm>
#include <tuple>

namespace flcc::match {

namespace {

constexpr std::array<std::string_view, kDecisionCount> kNames{"undecided", "keep", "reject",
                                                              "unsure"};

} // namespace

bool operator<(const PeakKey& a, const PeakKey& b) {
    const auto rank = [](const PeakKey& key) {
        return std::tuple(key.corner.z, key.corner.y, key.corner.x, key.templ);
    };
    return rank(a) < rank(b);
}

std::string_view name(Decision decision) { return kNames[static_cast<std::size_t>(decision)]; }

std::optional<Decision> decisionNamed(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    return found == kNames.end() ? std::nullopt
                                 : std::optional(static_cast<Decision>(found - kNames.begin()));
}

Decision DecisionList::of(const PeakKey& key) const {
    const auto found = m_decisions.find(key);
    return found == m_decisions.end() ? Decision::Undecided : found->second;
}

Decision DecisionList::set(const PeakKey& key, Decision decision) {
    const Decision before = of(key);
    if (decision == Decision::Undecided) {
        m_decisions.erase(key);
    } else {
        m_decisions[key] = decision;
    }
    return before;
}

std::vector<Decision> DecisionList::of(const std::vector<Peak>& peaks) const {
    std::vector<Decision> decisions;
    decisions.reserve(peaks.size());
    for (const Peak& peak : peaks) {
        decisions.push_back(of(keyOf(peak)));
    }
    return decisions;
}

std::array<std::int64_t, kDecisionCount>
DecisionList::counts(const std::vector<Peak>& peaks) const {
    std::array<std::int64_t, kDecisionCount> counts{};
    for (const Peak& peak : peaks) {
        ++counts[static_cast<std::size_t>(of(keyOf(peak)))];
    }
    return counts;
}

} // namespace flcc::match
