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
#include "engine/method/score_tally.h"

namespace flcc::cuda {

/// What the blocks of a part reported and what was repaired of each, template by template.
struct PartFacts {
    const BlockTally* reported = nullptr;
    const std::vector<BlockRepair>& repaired;
    // Of a bank:
    std::array<std::int64_t, base::kStatusCount> statuses{}; ///< of the best scores
    method::ScoreTally scores{};                             ///< of all templates
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

    /// Extents that no part exceeds on any axis.
    [[nodiscard]] const base::Extents& largest() const { return m_largest; }
    /// The next part. When all are taken: nothing, with `wait` once none is under way any more or a
    /// stop was requested, or one that was given back meanwhile.
    [[nodiscard]] std::optional<base::Box> take(bool wait);
    /// A part that was taken and is not in the map.
    void giveBack(const base::Box& box);
    /// A part that is in the map. Tells the sink.
    void finished(const base::Box& box, const PartFacts& facts);

    /// Whether all parts are in the map.
    [[nodiscard]] bool isDone() const;
    /// Of a bank as method::addTemplate() puts them together.
    [[nodiscard]] method::MapFacts facts() const;

  private:
    const method::Execution& m_execution;
    base::Extents m_largest;
    mutable std::mutex m_lock; // guards what follows
    std::condition_variable_any m_changed;
    std::deque<base::Box> m_left;
    std::int64_t m_underWay = 0;
    std::vector<Tally> m_tallies;                              ///< of each template
    std::array<std::int64_t, base::kStatusCount> m_statuses{}; ///< of the best scores of a bank
    method::ScoreTally m_scores;                               ///< of all its templates
    std::mutex m_telling;                                      // one region after the other
};

} // namespace flcc::cuda
