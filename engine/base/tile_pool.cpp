#include "engine/base/tile_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/base/error.h"

namespace flcc::base {

namespace {

struct Run {
    std::int64_t count = 0;
    const TilePool::Work* work = nullptr;
    const TilePool::Progress* progress = nullptr;
    std::stop_token stop;
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex; // guards what follows
    std::int64_t done = 0;
    std::exception_ptr error;

    std::int64_t nextTile() {
        if (failed.load(std::memory_order_relaxed) || stop.stop_requested()) {
            return count;
        }
        return next.fetch_add(1, std::memory_order_relaxed);
    }

    void finishTile() {
        const std::lock_guard lock(mutex);
        ++done;
        if (*progress) {
            (*progress)(done);
        }
    }

    void take(int worker) {
        try {
            for (std::int64_t tile = nextTile(); tile < count; tile = nextTile()) {
                (*work)(tile, worker);
                finishTile();
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!error) {
                error = std::current_exception();
            }
            failed = true;
        }
    }
};

} // namespace

struct TilePool::State {
    std::mutex callers; // one run at a time
    std::mutex mutex;   // guards `run`, and every change of the others
    std::condition_variable changed;
    Run* run = nullptr;
    std::atomic<std::uint64_t> generation{0};
    std::atomic<int> busy{0};
    std::atomic<bool> ending{false};
    std::vector<std::jthread> workers; // last: joins before the rest is gone

    void end() {
        {
            const std::lock_guard lock(mutex);
            ending = true;
        }
        changed.notify_all();
    }

    /// Watches for a moment before it sleeps: a sleeping thread takes longer to wake than small
    /// tiles to compute, and one run often follows another.
    template <class Ready> std::unique_lock<std::mutex> waitUntil(const Ready& ready) {
        constexpr std::chrono::microseconds kWatch{100};
        const auto end = std::chrono::steady_clock::now() + kWatch;
        while (!ready() && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
        std::unique_lock lock(mutex);
        changed.wait(lock, ready);
        return lock;
    }

    void serve(int worker) {
        std::uint64_t seen = 0;
        for (;;) {
            std::unique_lock lock = waitUntil([&] { return ending || generation != seen; });
            if (ending) {
                return;
            }
            seen = generation;
            Run* const current = run;
            lock.unlock();
            current->take(worker);
            lock.lock();
            if (--busy == 0) {
                changed.notify_all();
            }
        }
    }
};

TilePool::TilePool(int threads) : m_state(std::make_unique<State>()) {
    if (threads < 1) {
        throw Error(ErrorCode::CommandLine,
                    "a run needs at least 1 thread, not " + std::to_string(threads));
    }
    try {
        for (int worker = 1; worker < threads; ++worker) {
            m_state->workers.emplace_back(
                [state = m_state.get(), worker] { state->serve(worker); });
        }
    } catch (const std::system_error&) {
        m_state->end(); // those that started must return before they can be joined
        throw Error(ErrorCode::CommandLine,
                    "the system does not start " + std::to_string(threads) + " threads");
    } catch (...) {
        m_state->end();
        throw;
    }
}

TilePool::~TilePool() { m_state->end(); }

int TilePool::threads() const { return static_cast<int>(m_state->workers.size()) + 1; }

bool TilePool::run(std::int64_t count, const Work& work, std::stop_token stop,
                   const Progress& progress) {
    const std::lock_guard oneRun(m_state->callers);
    Run run;
    run.count = count;
    run.work = &work;
    run.progress = &progress;
    run.stop = std::move(stop);
    {
        const std::lock_guard lock(m_state->mutex);
        m_state->run = &run;
        m_state->busy = static_cast<int>(m_state->workers.size());
        ++m_state->generation;
    }
    m_state->changed.notify_all();
    run.take(0);
    (void)m_state->waitUntil([&] { return m_state->busy == 0; });
    if (run.error) {
        std::rethrow_exception(run.error);
    }
    return run.done == count;
}

int availableThreads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        return std::max(1, CPU_COUNT(&set));
    }
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace flcc::base
