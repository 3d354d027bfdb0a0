#include "engine/base/tile_pool.h"

#include <pthread.h>
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

int checked(int threads) {
    if (threads < 1) {
        throw Error(ErrorCode::CommandLine,
                    "a run needs at least 1 thread, not " + std::to_string(threads));
    }
    return threads;
}

struct Run {
    std::int64_t count = 0;
    const TilePool::Work* work = nullptr;
    const TilePool::Progress* progress = nullptr;
    std::stop_token stop;
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex; // guards the members below
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
    std::mutex mutex;   // guards the members below, and changes of `generation`, `busy`, `ending`
    std::condition_variable changed;
    Run* run = nullptr;               // to be joined
    std::vector<char> moved;          // for each worker, since its last run
    cpu_set_t processors{};           // affinity of the caller who moved some workers
    std::vector<std::atomic<int>> on; // for each worker, the processor where it watches, or kAsleep
    std::atomic<std::uint64_t> generation{0};
    std::atomic<int> busy{0}; // workers in a run
    std::atomic<bool> ending{false};
    std::vector<std::jthread> workers; // last: joins before the rest is gone

    static constexpr int kAsleep = -1;

    explicit State(int threads)
        : moved(static_cast<std::size_t>(threads - 1)), on(static_cast<std::size_t>(threads - 1)) {
        for (std::atomic<int>& processor : on) {
            processor = kAsleep; // which is where a new one starts
        }
    }

    void end() {
        {
            const std::lock_guard lock(mutex);
            ending = true;
        }
        changed.notify_all();
    }

    /// Watches for a moment before it sleeps: a sleeping thread takes longer to wake than small
    /// tiles to compute, and one run often follows another.
    template <class Ready> static void watch(const Ready& ready) {
        constexpr std::chrono::microseconds kWatch{100};
        const auto end = std::chrono::steady_clock::now() + kWatch;
        while (!ready() && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
    }

    /// Moves workers to other processors if they are asleep or watch on the caller's processor:
    /// there they would wait behind the caller for one or two milliseconds. A system that takes all
    /// other processors for busy wakes a thread on the processor of its waker. In a virtual machine
    /// idle processors look busy.
    void clearProcessor() {
        const int here = sched_getcpu();
        const auto isHere = [&](const std::atomic<int>& at) { return at == kAsleep || at == here; };
        cpu_set_t all;
        if (here < 0 || std::none_of(on.begin(), on.end(), isHere) ||
            sched_getaffinity(0, sizeof(all), &all) != 0 ||
            CPU_COUNT(&all) <= static_cast<int>(workers.size())) {
            return;
        }
        processors = all;
        cpu_set_t others = all;
        CPU_CLR(static_cast<unsigned>(here), &others);
        for (std::size_t i = 0; i < workers.size(); ++i) {
            if (isHere(on[i])) {
                moved[i] = 1; // even where that fails: an earlier caller may have moved it
                (void)pthread_setaffinity_np(workers[i].native_handle(), sizeof(others), &others);
            }
        }
    }

    void serve(int worker) {
        const auto index = static_cast<std::size_t>(worker - 1);
        std::uint64_t seen = 0;
        const auto ready = [&] { return ending || generation != seen; };
        for (;;) {
            watch([&] {
                on[index] = sched_getcpu();
                return ready();
            });
            std::unique_lock lock(mutex);
            if (!ready()) {
                on[index] = kAsleep;
                changed.wait(lock, ready);
            }
            if (moved[index] != 0) { // lift the restriction to certain processors
                (void)pthread_setaffinity_np(pthread_self(), sizeof(processors), &processors);
                moved[index] = 0;
            }
            if (ending) {
                return;
            }
            seen = generation;
            Run* const current = run;
            if (current == nullptr) { // too late
                continue;
            }
            ++busy;
            lock.unlock();
            current->take(worker);
            lock.lock();
            if (--busy == 0) {
                changed.notify_all();
            }
        }
    }

    /// Runs the caller's share and waits for the workers that joined. A thread that the system is
    /// slow to wake delays nobody.
    void share(Run& shared) {
        if (workers.empty() || shared.count < 2) {
            shared.take(0);
            return;
        }
        {
            const std::lock_guard lock(mutex);
            run = &shared;
            ++generation;
            clearProcessor();
        }
        changed.notify_all();
        shared.take(0);
        const auto done = [&] { return busy == 0; };
        {
            const std::lock_guard lock(mutex);
            run = nullptr;
        }
        watch(done);
        std::unique_lock lock(mutex);
        changed.wait(lock, done);
    }
};

TilePool::TilePool(int threads) : m_state(std::make_unique<State>(checked(threads))) {
    try {
        for (int worker = 1; worker < threads; ++worker) {
            m_state->workers.emplace_back(
                [state = m_state.get(), worker] { state->serve(worker); });
        }
    } catch (const std::system_error&) {
        m_state->end(); // the workers that started must return before they can be joined
        // The system does not tell a lack of memory from its limit of threads.
        throw Error(threads > availableThreads() ? ErrorCode::CommandLine : ErrorCode::Memory,
                    "the system cannot start " + std::to_string(threads) +
                        " threads; close other programs or set a smaller --threads");
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
    m_state->share(run);
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
