#include "engine/cuda/tally.h"

#include <algorithm>
#include <cstddef>

namespace flcc::cuda {

void Tally::add(const BlockTally& told, const BlockRepair& repaired) {
    const auto count = [&](base::Status status, std::int64_t voxels) {
        m_facts.statusCounts[static_cast<std::size_t>(status)] += voxels;
    };
    const std::int64_t left = told.lowConf - repaired.ok - repaired.partial;
    count(base::Status::Ok, told.ok + repaired.ok);
    count(base::Status::Partial, told.partial + repaired.partial);
    count(base::Status::Flat, told.flat);
    count(base::Status::NonFinite, told.nonFinite);
    count(base::Status::NotComputed, told.notComputed);
    count(base::Status::LowConf, left);
    m_facts.overRange += told.overRange;
    m_facts.recomputed += repaired.ok + repaired.partial;
    m_facts.largestBound =
        std::max({m_facts.largestBound, told.largestBound, repaired.largestBound});
    m_facts.largestRounding = std::max(m_facts.largestRounding, told.rounding);
    if (left > 0) {
        m_facts.largestLowConf = std::max(m_facts.largestLowConf, told.largestLowConf);
    }
    if (told.sample > 0) {
        m_samples.push_back(static_cast<float>(told.sample));
    }
}

method::MapFacts Tally::facts() const {
    method::MapFacts facts = m_facts;
    if (!m_samples.empty()) {
        std::vector<float> samples = m_samples;
        const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
        std::nth_element(samples.begin(), middle, samples.end());
        facts.boundMedian = std::min(static_cast<double>(*middle),
                                     std::max(facts.largestBound, facts.largestLowConf));
    }
    return facts;
}

} // namespace flcc::cuda
