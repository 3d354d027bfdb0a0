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
    /// A piece that is in the map. True for the last one of its part: then finished() is to follow.
    [[nodiscard]] bool replaced(const QueuedBox& piece, double largestBound);
    /// Parts that are open.
    [[nodiscard]] std::vector<base::Box> open() const;

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

    const method::Execution& m_execution;
    mutable std::mutex m_lock; // guards what follows
    std::condition_variable_any m_changed;
    Boxes m_whole;
    Boxes m_pieces;
    std::deque<OpenPart> m_open;                               ///< stays in place
    std::vector<Tally> m_tallies;                              ///< of each template
    std::array<std::int64_t, base::kStatusCount> m_statuses{}; ///< of the best scores of a bank
    method::ScoreTally m_scores;                               ///< of all its templates
    std::mutex m_telling;                                      // one region after the other
};

} // namespace flcc::cuda
