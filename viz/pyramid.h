#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/method/match_map.h"
#include "viz/score_cell.h"

namespace flcc::viz {

/// A large 2D image, or a map of one, at a half, a quarter ... of its resolution. Level k has one
/// texel for each block of 2^k x 2^k voxels. The finest levels are missing: the voxels themselves
/// serve them, and they would take most of the memory.
///
/// - Of an image: averages in the image's own type, integers rounded. A texel is the average of
///   the up to four texels of the level below; NaN and Inf are left out unless there is nothing
///   else.
/// - Of a map: best scores as ScoreCell (float32).
///
/// **Threads**: add() may run while others call read().
class Pyramid {
  public:
    /// Bytes of one pyramid; its finest levels are left out until it holds no more.
    static constexpr std::int64_t kMostBytes = 100'000'000;
    /// The finest level that is kept. Level 1 would need a quarter of the image's memory.
    static constexpr int kFirstLevel = 2;

    /// Whether drawing an image of these extents needs a pyramid.
    [[nodiscard]] static bool serves(const base::Extents& extents);

    /// Averages of an image. **Shapes**: one slice. **Cost**: one pass over the image. If stopped,
    /// the content is unspecified.
    explicit Pyramid(const base::AnyView& image, const std::stop_token& stop = {});
    /// For a map of these extents, without scores until add().
    Pyramid(const base::Extents& extents, const BestRule& rule);

    /// Adds the scores of a region. A region may be added twice. **Cost**: one pass over it.
    void add(const method::MatchMap& map, const base::Box& region,
             const std::stop_token& stop = {});

    [[nodiscard]] const BestRule& rule() const { return m_rule; }
    [[nodiscard]] std::int64_t bytes() const;
    /// The coarsest level whose blocks are no larger than `pitch` voxels; 0: the voxels themselves.
    [[nodiscard]] int levelFor(double pitch) const;
    /// Calls `use` with a level's texels while no add() changes them. `level` as by levelFor().
    template <class Use> void read(int level, const Use& use) const {
        const std::unique_lock lock = lockInTurn();
        use(base::viewOf(m_levels[static_cast<std::size_t>(level - m_first)]));
    }

  private:
    void shape(base::PixelType type, const base::Extents& extents);
    void addRows(const method::MatchMap& map, const base::Box& region, std::int64_t top,
                 std::int64_t bottom);
    void mergeLevel(std::size_t level, const base::Box& region);

    /// Locks m_mutex. Whoever waits comes before a thread that has just unlocked it.
    [[nodiscard]] std::unique_lock<std::mutex> lockInTurn() const {
        const std::scoped_lock turn(m_turn);
        return std::unique_lock(m_mutex);
    }

    BestRule m_rule;
    int m_first = kFirstLevel;
    mutable std::mutex m_turn;
    mutable std::mutex m_mutex;
    std::vector<base::AnyImage> m_levels; ///< m_first, m_first + 1, ...; guarded by m_mutex
};

} // namespace flcc::viz
