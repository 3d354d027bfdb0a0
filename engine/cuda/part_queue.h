#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/extents.h"
#include "engine/cuda/tally.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// What the blocks of a part told and what was repaired of each, template by template.
struct PartFacts {
    const BlockTally* told = nullptr;
    const std::vector<BlockRepair>& repaired;
    // Of a bank:
    std::array<std::int64_t, base::kStatusCount> statuses{}; ///< of the best scores
    method::ScoreTally scores{};                             ///< of all templates
};

/// A part of which LOWCONF voxels are left to a run in double; all else of it is in the map.
struct OpenPart {
    base::Box box;
    std::vector<BlockTally> told;
    double largestBound = 0; ///< of what was replaced
    std::int64_t pieces = 0; ///< that are not done
    bool closed = false;
};

/// What a device takes from a queue.
struct QueuedBox {
    base::Box box;
    OpenPart* of = nullptr; ///< whose piece it is; null for a part
};

/// The parts of a map that is being made, which devices take one after the other, and what came of
/// them. **Threads**: safe from all.
class PartQueue {
  public:
    /// Of a map of so many templates. `execution` must live as long.
    PartQueue(const base::Extents& map, const base::Extents& part,
              const method::Execution& execution, int templates = 1);
    /// Of some parts of a map of one template.
    PartQueue(const std::vector<base::Box>& parts, const method::Execution& execution);

    /// Parts that such a map has.
    [[nodiscard]] static std::int64_t count(const base::Extents& map, const base::Extents& part);

    /// The next part, or with `again` the next piece of an open one. When all are taken: nothing,
    /// with `wait` once none is under way any more or a stop was requested, or one that was given
    /// back meanwhile. Pieces are asked for when no part is left.
    [[nodiscard]] std::optional<QueuedBox> take(bool wait, bool again = false);
    /// What was taken and is not in the map.
    void giveBack(const QueuedBox& box);
    /// A part that is in the map, or an open one with its last piece. Tells the sink.
    void finished(const QueuedBox& box, const PartFacts& facts);
    /// A part that is in the map but for what these pieces of it are to bring.
    void leaveOpen(const base::Box& box, std::vector<BlockTally> told, double largestBound,
                   const std::vector<base::Box>& pieces);
    /// A piece that is in the map. True for the last one of its part: then finished() is to follow,
    /// or giveBack(), after which it is done once more.
    [[nodiscard]] bool replaced(const QueuedBox& piece, double largestBound);
    /// A part of a bank that was taken, of which nothing is in the map.
    void setAside(const base::Box& box);
    /// Parts that were set aside and are not in the map.
    [[nodiscard]] std::vector<base::Box> aside() const;
    /// What was told of one template, of the parts that are in the map.
    [[nodiscard]] Tally tally() const;
    /// What was told of each template in parts that were set aside, by the queues that had them.
    void addAside(const std::vector<Tally>& told);
    /// A part that was set aside and is in the map; its blocks told by addAside(). Tells the sink.
    void finishedAside(const base::Box& box, const PartFacts& facts);
    /// Parts that are open or set aside.
    [[nodiscard]] std::vector<base::Box> open() const;

    /// Whether nothing is left to take or under way.
    [[nodiscard]] bool isEmpty() const;
    /// Whether all parts are in the map.
    [[nodiscard]] bool isDone() const;
    /// Of a bank as method::addTemplate() puts them together.
    [[nodiscard]] method::MapFacts facts() const;

  private:
    struct Boxes {
        std::deque<QueuedBox> left;
        std::int64_t underWay = 0;
    };
    [[nodiscard]] Boxes& boxesOf(const QueuedBox& box) {
        return box.of == nullptr ? m_whole : m_pieces;
    }
    [[nodiscard]] bool nothingLeft() const {
        return m_whole.left.empty() && m_whole.underWay == 0 && m_pieces.left.empty() &&
               m_pieces.underWay == 0;
    }
    void add(const PartFacts& facts);
    void tell(const base::Box& box);

    const method::Execution& m_execution;
    mutable std::mutex m_lock; // guards what follows
    std::condition_variable_any m_changed;
    Boxes m_whole;
    Boxes m_pieces;
    std::vector<base::Box> m_aside;
    std::deque<OpenPart> m_open;                               ///< stays in place
    std::vector<Tally> m_tallies;                              ///< of each template
    std::array<std::int64_t, base::kStatusCount> m_statuses{}; ///< of the best scores of a bank
    method::ScoreTally m_scores;                               ///< of all its templates
    std::mutex m_telling;                                      // one region after the other
};

} // namespace flcc::cuda
