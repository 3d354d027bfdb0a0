#include "engine/cuda/run/tally.h"

#include <algorithm>
#include <cstddef>

namespace flcc::cuda {

void Tally::add(const BlockTally& reported, const BlockRepair& repaired) {
    const auto count = [&](base::Status status, std::int64_t voxels) {
        m_facts.statusCounts[static_cast<std::size_t>(status)] += voxels;
    };
    const std::int64_t left = reported.lowConf - repaired.ok - repaired.partial;
    count(base::Status::Ok, reported.ok + repaired.ok);
    count(base::Status::Partial, reported.partial + repaired.partial);
    count(base::Status::Flat, reported.flat);
    count(base::Status::NonFinite, reported.nonFinite);
    count(base::Status::NotComputed, reported.notComputed);
    count(base::Status::LowConf, left);
    m_facts.overRange += reported.overRange;
    m_facts.recomputed += repaired.ok + repaired.partial;
    m_facts.largestBound =
        std::max({m_facts.largestBound, reported.largestBound, repaired.largestBound});
    m_facts.largestRounding = std::max(m_facts.largestRounding, reported.rounding);
    if (left > 0) {
        m_facts.largestLowConf = std::max(m_facts.largestLowConf, reported.largestLowConf);
    }
    if (reported.sample > 0) {
        m_samples.push_back(static_cast<float>(reported.sample));
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
