#include <algorithm>
#include <cmath>

#include "engine/cpu/score/tile_scorer.h"

namespace flcc::cpu {

void FactsCollector::addTile(const simd::ScoreTally& tally, const CentredTile& tile) {
    m_facts.overRange += tally.overRange;
    m_facts.largestBound = std::max(m_facts.largestBound, tally.largestBound);
    m_facts.largestLowConf = std::max(m_facts.largestLowConf, tally.largestLowConf);
    m_facts.largestRelative = std::max(m_facts.largestRelative, tally.largestRelative);
    m_facts.largestRounding = std::max(m_facts.largestRounding, tile.largestRounding);
}

void FactsCollector::addRecomputed(std::int64_t voxels) { m_facts.recomputed += voxels; }

void FactsCollector::addStatuses(const std::array<std::int64_t, base::kStatusCount>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        m_facts.statusCounts[i] += counts[i];
    }
}

void FactsCollector::addBound(float bound) {
    if (bound > 0) {
        const double step = 8 * (std::log2(static_cast<double>(bound)) + 32);
        ++m_bounds[static_cast<std::size_t>(std::clamp(step, 0.0, 511.0))];
    }
}

void FactsCollector::merge(const FactsCollector& other) {
    addStatuses(other.m_facts.statusCounts);
    m_facts.overRange += other.m_facts.overRange;
    m_facts.recomputed += other.m_facts.recomputed;
    m_facts.largestBound = std::max(m_facts.largestBound, other.m_facts.largestBound);
    m_facts.largestLowConf = std::max(m_facts.largestLowConf, other.m_facts.largestLowConf);
    m_facts.largestRelative = std::max(m_facts.largestRelative, other.m_facts.largestRelative);
    m_facts.largestRounding = std::max(m_facts.largestRounding, other.m_facts.largestRounding);
    for (std::size_t i = 0; i < m_bounds.size(); ++i) {
        m_bounds[i] += other.m_bounds[i];
    }
}

method::MapFacts FactsCollector::facts() const {
    method::MapFacts facts = m_facts;
    std::int64_t total = 0;
    for (const std::int64_t count : m_bounds) {
        total += count;
    }
    std::int64_t below = 0;
    for (std::size_t i = 0; i < m_bounds.size() && total > 0; ++i) {
        below += m_bounds[i];
        if (2 * below >= total) {
            facts.boundMedian = std::min(std::exp2((static_cast<double>(i) + 0.5) / 8 - 32),
                                         std::max(facts.largestBound, facts.largestLowConf));
            break;
        }
    }
    return facts;
}

} // namespace flcc::cpu
