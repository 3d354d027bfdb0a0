#include "engine/cuda/part_queue.h"

#include "engine/cuda/map_parts.h"

namespace flcc::cuda {

PartQueue::PartQueue(const base::Extents& map, const base::Extents& part,
                     const method::Execution& execution)
    : m_execution(execution) {
    const std::vector<base::Box> boxes = mapParts(map, part);
    m_boxes.assign(boxes.begin(), boxes.end());
}

std::int64_t PartQueue::count(const base::Extents& map, const base::Extents& part) {
    using method::shared::ceilDivide;
    return ceilDivide(map.x, part.x) * ceilDivide(map.y, part.y) * ceilDivide(map.z, part.z);
}

std::optional<base::Box> PartQueue::take(bool wait) {
    std::unique_lock lock(m_lock);
    if (wait) {
        m_changed.wait(lock, m_execution.stop,
                       [this] { return !m_boxes.empty() || m_underWay == 0; });
    }
    if (m_boxes.empty()) {
        return std::nullopt;
    }
    const base::Box box = m_boxes.front();
    m_boxes.pop_front();
    ++m_underWay;
    return box;
}

void PartQueue::giveBack(const base::Box& box) {
    {
        const std::lock_guard lock(m_lock);
        m_boxes.push_front(box);
        --m_underWay;
    }
    m_changed.notify_all();
}

void PartQueue::finished(const base::Box& box, const BlockTally* told,
                         const std::vector<BlockRepair>& repaired) {
    {
        const std::lock_guard lock(m_lock);
        for (std::size_t i = 0; i < repaired.size(); ++i) {
            m_tally.add(told[i], repaired[i]);
        }
    }
    if (m_execution.regionFinished) {
        const std::lock_guard lock(m_telling);
        m_execution.regionFinished(box);
    }
    {
        const std::lock_guard lock(m_lock);
        --m_underWay;
    }
    m_changed.notify_all();
}

bool PartQueue::isDone() const {
    const std::lock_guard lock(m_lock);
    return m_boxes.empty() && m_underWay == 0;
}

method::MapFacts PartQueue::facts() const {
    const std::lock_guard lock(m_lock);
    return m_tally.facts();
}

} // namespace flcc::cuda
