#include "engine/cuda/run/part_queue.h"

#include <algorithm>
#include <utility>

#include "engine/cuda/run/map_parts.h"

namespace flcc::cuda {

PartQueue::PartQueue(const base::Extents& map, const base::Extents& part,
                     const method::Execution& execution, int templates)
    : m_execution(execution), m_largest{std::min(map.x, part.x), std::min(map.y, part.y),
                                        std::min(map.z, part.z)},
      m_tallies(static_cast<std::size_t>(templates)) {
    const std::vector<base::Box> boxes = mapParts(map, part);
    m_left.assign(boxes.begin(), boxes.end());
}

std::int64_t PartQueue::count(const base::Extents& map, const base::Extents& part) {
    using method::shared::ceilDivide;
    return ceilDivide(map.x, part.x) * ceilDivide(map.y, part.y) * ceilDivide(map.z, part.z);
}

std::optional<base::Box> PartQueue::take(bool wait) {
    std::unique_lock lock(m_lock);
    if (wait) {
        m_changed.wait(lock, m_execution.stop, [&] { return !m_left.empty() || m_underWay == 0; });
    }
    if (m_left.empty()) {
        return std::nullopt;
    }
    const base::Box box = m_left.front();
    m_left.pop_front();
    ++m_underWay;
    return box;
}

void PartQueue::giveBack(const base::Box& box) {
    {
        const std::lock_guard lock(m_lock);
        m_left.push_front(box);
        --m_underWay;
    }
    m_changed.notify_all();
}

void PartQueue::finished(const base::Box& box, const PartFacts& facts) {
    if (m_execution.regionFinished) { // first: if this throws, the part is not counted
        const std::lock_guard lock(m_telling);
        m_execution.regionFinished(box);
    }
    {
        const std::lock_guard lock(m_lock);
        const std::size_t blocks = facts.repaired.size() / m_tallies.size();
        for (std::size_t i = 0; i < facts.repaired.size(); ++i) {
            m_tallies[i / blocks].add(facts.reported[i], facts.repaired[i]);
        }
        for (std::size_t i = 0; i < m_statuses.size(); ++i) {
            m_statuses[i] += facts.statuses[i];
        }
        m_scores.add(facts.scores);
        --m_underWay;
    }
    m_changed.notify_all();
}

bool PartQueue::isDone() const {
    const std::lock_guard lock(m_lock);
    return m_left.empty() && m_underWay == 0;
}

method::MapFacts PartQueue::facts() const {
    const std::lock_guard lock(m_lock);
    if (m_tallies.size() == 1) {
        return m_tallies.front().facts();
    }
    method::MapFacts bank;
    for (const Tally& tally : m_tallies) {
        method::addTemplate(tally.facts(), bank);
    }
    bank.statusCounts = m_statuses;
    bank.scores = {m_scores.count, m_scores.sum.value() * method::kScoreUnit,
                   m_scores.squares.value() * method::kScoreUnit};
    return bank;
}

} // namespace flcc::cuda
