#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace flcc::base {

/// A fixed set of threads that share the tiles of one run at a time. The calling thread works too,
/// so a pool of one thread starts no thread.
///
/// **Threads**: one run() at a time; a second caller waits.
class TilePool {
  public:
    /// Computes one tile. `worker` is in 0 .. threads()-1 and unique among concurrent calls, so it
    /// can index scratch buffers.
    using Work = std::function<void(std::int64_t tile, int worker)>;
    /// Called after each tile with the number of finished tiles, on any worker, one call at a time.
    using Progress = std::function<void(std::int64_t done)>;

    /// **Errors**: CommandLine when `threads` is below 1.
    explicit TilePool(int threads);
    ~TilePool();
    TilePool(const TilePool&) = delete;
    TilePool& operator=(const TilePool&) = delete;

    [[nodiscard]] int threads() const;

    /// Runs every tile 0 .. count-1 once; tiles start in ascending order. Returns false if `stop`
    /// was requested before all tiles were finished; tiles that had started are finished. The first
    /// exception of a tile ends the run and is rethrown to the caller.
    bool run(std::int64_t count, const Work& work, std::stop_token stop = {},
             const Progress& progress = {});

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Number of threads this process may run at once; at least 1.
[[nodiscard]] int availableThreads();

/// Lets other threads go first where processors are short: those of a window, so that it stays
/// quick while this thread computes. It holds for the calling thread and for threads that it
/// starts from now on.
void giveWay() noexcept;

} // namespace flcc::base
