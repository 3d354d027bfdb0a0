#pragma once

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

/// The parts of a map that is being made, which devices take one after the other, and what came of
/// them. **Threads**: safe from all.
class PartQueue {
  public:
    /// `execution` must live as long.
    PartQueue(const base::Extents& map, const base::Extents& part,
              const method::Execution& execution);

    /// Parts that such a map has.
    [[nodiscard]] static std::int64_t count(const base::Extents& map, const base::Extents& part);

    /// The next part. When all are taken: nothing, with `wait` once none is under way any more or a
    /// stop was requested, or a part that was given back meanwhile.
    [[nodiscard]] std::optional<base::Box> take(bool wait);
    /// A part that was taken and is not in the map.
    void giveBack(const base::Box& box);
    /// A part that is in the map, what its blocks told and what was repaired of each. Tells the
    /// sink.
    void finished(const base::Box& box, const BlockTally* told,
                  const std::vector<BlockRepair>& repaired);

    /// Whether all parts are in the map.
    [[nodiscard]] bool isDone() const;
    [[nodiscard]] method::MapFacts facts() const;

  private:
    const method::Execution& m_execution;
    mutable std::mutex m_lock; // guards what follows
    std::condition_variable_any m_changed;
    std::deque<base::Box> m_boxes;
    std::int64_t m_underWay = 0;
    Tally m_tally;
    std::mutex m_telling; // one region after the other
};

} // namespace flcc::cuda
