#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace flcc::base {

/// A fixed set of threads that share the tiles of one run at a time. The caller works too, so a
/// pool of one thread starts none.
///
/// **Threads**: one run() at a time; a second caller waits.
class TilePool {
  public:
    /// Does the work of one tile. `worker` is 0 .. threads()-1 and unique among the calls under
    /// way, so it can index scratch buffers.
    using Work = std::function<void(std::int64_t tile, int worker)>;
    /// Told after each tile how many are done; called on any worker, one call at a time.
    using Progress = std::function<void(std::int64_t done)>;

    /// **Errors**: CommandLine when `threads` is below 1.
    explicit TilePool(int threads);
    ~TilePool();
    TilePool(const TilePool&) = delete;
    TilePool& operator=(const TilePool&) = delete;

    [[nodiscard]] int threads() const;

    /// Runs every tile 0 .. count-1 once, in ascending order of their start. Returns false when
    /// `stop` was requested before all were done (those under way are finished). The first
    /// exception of a tile ends the run and is thrown again here.
    bool run(std::int64_t count, const Work& work, std::stop_token stop = {},
             const Progress& progress = {});

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Threads this process may run at once; at least 1.
[[nodiscard]] int availableThreads();

} // namespace flcc::base
