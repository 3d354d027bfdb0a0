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
#include "engine/cuda/run/tally.h"
#include "engine/method/method.h"
#include "engine/method/reduced_map.h"

namespace flcc::cuda {

/// The facts of a finished part: what its blocks reported and how many voxels were repaired in each
/// block, template by template.
struct PartFacts {
    const BlockTally* reported = nullptr;
    const std::vector<BlockRepair>& repaired;
    // For a bank:
    std::array<std::int64_t, base::kStatusCount> statuses{}; ///< of the best scores
    method::ScoreTally scores{};                             ///< of all templates
};

/// The parts of a map that are still to be computed, for all devices of a run, and the facts of the
/// finished parts. **Threads**: all functions may be called from any thread.
class PartQueue {
  public:
    /// All parts of a map, for a run of `templates` templates. `execution` must outlive the queue.
    PartQueue(const base::Extents& map, const base::Extents& part,
              const method::Execution& execution, int templates = 1);

    /// Number of parts of such a map.
    [[nodiscard]] static std::int64_t count(const base::Extents& map, const base::Extents& part);

    /// Extents that no part exceeds on any axis.
    [[nodiscard]] const base::Extents& largest() const { return m_largest; }
    /// Takes the next part; nothing if none is left. With `wait`, a call that finds no part waits
    /// until another device gives one back, until no part is in flight, or until a stop.
    [[nodiscard]] std::optional<base::Box> take(bool wait);
    /// Puts back a part that was taken and is not in the map.
    void giveBack(const base::Box& box);
    /// Records a part that is in the map, and reports it to Execution::regionFinished.
    void finished(const base::Box& box, const PartFacts& facts);

    /// True if all parts are in the map.
    [[nodiscard]] bool isDone() const;
    /// The facts of the finished parts; the templates of a bank are combined by
    /// method::addTemplate().
    [[nodiscard]] method::MapFacts facts() const;

  private:
    const method::Execution& m_execution;
    base::Extents m_largest;
    mutable std::mutex m_lock; // guards what follows
    std::condition_variable_any m_changed;
    std::deque<base::Box> m_left;
    std::int64_t m_underWay = 0;
    std::vector<Tally> m_tallies;                              ///< one for each template
    std::array<std::int64_t, base::kStatusCount> m_statuses{}; ///< of the best scores of a bank
    method::ScoreTally m_scores;                               ///< of all templates of a bank
    std::mutex m_telling;                                      // serialises calls of regionFinished
};

} // namespace flcc::cuda
