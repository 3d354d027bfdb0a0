#include "engine/cuda/part_queue.h"

#include <algorithm>
#include <utility>

#include "engine/cuda/map_parts.h"

namespace flcc::cuda {

PartQueue::PartQueue(const base::Extents& map, const base::Extents& part,
                     const method::Execution& execution, int templates)
    : m_execution(execution), m_tallies(static_cast<std::size_t>(templates)) {
    for (const base::Box& box : mapParts(map, part)) {
        m_whole.left.push_back({box});
    }
}

PartQueue::PartQueue(const std::vector<base::Box>& parts, const method::Execution& execution)
    : m_execution(execution), m_tallies(1) {
    for (const base::Box& box : parts) {
        m_whole.left.push_back({box});
    }
}

std::int64_t PartQueue::count(const base::Extents& map, const base::Extents& part) {
    using method::shared::ceilDivide;
    return ceilDivide(map.x, part.x) * ceilDivide(map.y, part.y) * ceilDivide(map.z, part.z);
}

std::optional<QueuedBox> PartQueue::take(bool wait, bool again) {
    std::unique_lock lock(m_lock);
    Boxes& boxes = again ? m_pieces : m_whole;
    if (wait) {
        m_changed.wait(lock, m_execution.stop,
                       [&] { return !boxes.left.empty() || boxes.underWay == 0; });
    }
    if (boxes.left.empty()) {
        return std::nullopt;
    }
    const QueuedBox box = boxes.left.front();
    boxes.left.pop_front();
    ++boxes.underWay;
    return box;
}

void PartQueue::giveBack(const QueuedBox& box) {
    {
        const std::lock_guard lock(m_lock);
        Boxes& boxes = boxesOf(box);
        boxes.left.push_front(box);
        --boxes.underWay;
    }
    m_changed.notify_all();
}

void PartQueue::leaveOpen(const base::Box& box, std::vector<BlockTally> told, double largestBound,
                          const std::vector<base::Box>& pieces) {
    {
        const std::lock_guard lock(m_lock);
        OpenPart& part = m_open.emplace_back();
        part.box = box;
        part.told = std::move(told);
        part.largestBound = largestBound;
        part.pieces = std::ssize(pieces);
        for (const base::Box& piece : pieces) {
            m_pieces.left.push_back({piece, &part});
        }
        --m_whole.underWay;
    }
    m_changed.notify_all();
}

bool PartQueue::replaced(const QueuedBox& piece, double largestBound) {
    {
        const std::lock_guard lock(m_lock);
        OpenPart& part = *piece.of;
        part.largestBound = std::max(part.largestBound, largestBound);
        if (part.pieces == 1) {
            return true; // it counts until finished(), and may be given back before
        }
        --part.pieces;
        --m_pieces.underWay;
    }
    m_changed.notify_all();
    return false;
}

std::vector<base::Box> PartQueue::open() const {
    const std::lock_guard lock(m_lock);
    std::vector<base::Box> boxes;
    for (const OpenPart& part : m_open) {
        if (!part.closed) {
            boxes.push_back(part.box);
        }
    }
    boxes.insert(boxes.end(), m_aside.begin(), m_aside.end());
    return boxes;
}

void PartQueue::setAside(const base::Box& box) {
    {
        const std::lock_guard lock(m_lock);
        m_aside.push_back(box);
        --m_whole.underWay;
    }
    m_changed.notify_all();
}

std::vector<base::Box> PartQueue::aside() const {
    const std::lock_guard lock(m_lock);
    return m_aside;
}

Tally PartQueue::tally() const {
    const std::lock_guard lock(m_lock);
    return m_tallies.front();
}

void PartQueue::addAside(const std::vector<Tally>& told) {
    const std::lock_guard lock(m_lock);
    for (std::size_t templ = 0; templ < told.size(); ++templ) {
        m_tallies[templ].add(told[templ]);
    }
}

void PartQueue::finishedAside(const base::Box& box, const PartFacts& facts) {
    tell(box);
    const std::lock_guard lock(m_lock);
    add(facts);
    std::erase_if(m_aside, [&](const base::Box& one) { return one.corner == box.corner; });
}

/// Under the lock.
void PartQueue::add(const PartFacts& facts) {
    const std::size_t blocks = facts.repaired.size() / m_tallies.size();
    for (std::size_t i = 0; i < facts.repaired.size(); ++i) {
        m_tallies[i / blocks].add(facts.told[i], facts.repaired[i]);
    }
    for (std::size_t i = 0; i < m_statuses.size(); ++i) {
        m_statuses[i] += facts.statuses[i];
    }
    m_scores.add(facts.scores);
}

void PartQueue::tell(const base::Box& box) {
    if (m_execution.regionFinished) {
        const std::lock_guard lock(m_telling);
        m_execution.regionFinished(box);
    }
}

void PartQueue::finished(const QueuedBox& box, const PartFacts& facts) {
    tell(box.of == nullptr ? box.box : box.of->box); // what fails here is not counted
    {
        const std::lock_guard lock(m_lock);
        add(facts);
        --boxesOf(box).underWay;
        if (box.of != nullptr) {
            box.of->pieces = 0;
            box.of->closed = true;
        }
    }
    m_changed.notify_all();
}

bool PartQueue::isEmpty() const {
    const std::lock_guard lock(m_lock);
    return nothingLeft();
}

bool PartQueue::isDone() const {
    const std::lock_guard lock(m_lock);
    return nothingLeft() && m_aside.empty();
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
