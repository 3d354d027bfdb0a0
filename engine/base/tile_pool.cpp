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
    std::mutex mutex;   // guards what follows, and every change of the atomic ones
    std::condition_variable changed;
    Run* run = nullptr;
    std::vector<char> asleep; // for each worker
    cpu_set_t processors{};   // those of the last caller; none: not known
    std::atomic<std::uint64_t> generation{0};
    std::atomic<int> busy{0};
    std::atomic<bool> ending{false};
    std::vector<std::jthread> workers; // last: joins before the rest is gone

    explicit State(int threads) : asleep(static_cast<std::size_t>(threads - 1)) {}

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

    /// Has those who sleep wake on other processors than the caller's. A system that takes all
    /// others for busy wakes a thread where its waker runs, which keeps it waiting for a
    /// millisecond or two: virtual machines do, whose idle processors look like taken ones.
    void sendSleepersAway() {
        if (std::none_of(asleep.begin(), asleep.end(), [](char sleeps) { return sleeps != 0; })) {
            return;
        }
        if (sched_getaffinity(0, sizeof(processors), &processors) != 0) {
            CPU_ZERO(&processors);
        }
        if (CPU_COUNT(&processors) <= static_cast<int>(workers.size())) {
            return;
        }
        cpu_set_t others = processors;
        CPU_CLR(static_cast<unsigned>(sched_getcpu()), &others);
        for (std::size_t i = 0; i < workers.size(); ++i) {
            if (asleep[i] != 0) {
                (void)pthread_setaffinity_np(workers[i].native_handle(), sizeof(others), &others);
            }
        }
    }

    /// Afterwards it may run on any of the caller's processors again.
    template <class Ready>
    void sleep(std::unique_lock<std::mutex>& lock, std::size_t worker, const Ready& ready) {
        asleep[worker] = 1;
        changed.wait(lock, ready);
        asleep[worker] = 0;
        if (CPU_COUNT(&processors) > 0) {
            (void)pthread_setaffinity_np(pthread_self(), sizeof(processors), &processors);
        }
    }

    void serve(int worker) {
        std::uint64_t seen = 0;
        const auto ready = [&] { return ending || generation != seen; };
        for (;;) {
            watch(ready);
            std::unique_lock lock(mutex);
            if (!ready()) {
                sleep(lock, static_cast<std::size_t>(worker - 1), ready);
            }
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

    /// The caller's share of a run, and the wait for the others'.
    void share(Run& shared) {
        if (workers.empty() || shared.count < 2) {
            shared.take(0);
            return;
        }
        {
            const std::lock_guard lock(mutex);
            run = &shared;
            busy = static_cast<int>(workers.size());
            ++generation;
            sendSleepersAway();
        }
        changed.notify_all();
        shared.take(0);
        const auto done = [&] { return busy == 0; };
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
