#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/stopwatch.h"
#include "engine/job/detail/group_run.h"
#include "engine/job/detail/scene_work.h"
#include "engine/job/job.h"
#include "engine/method/candidate.h"

namespace flcc::job::detail {

/// Scenes of a job that are under way at once where a device computes: one comes, one is computed,
/// one is verified and goes (METHODS 4.3).
inline constexpr int kMostScenes = 3;

/// How many scenes that are planned alike, `sceneBytes` each, may be under way at once: as many as
/// `memoryBytes` of the host and the memory of the device hold. 1 on the processor, which one scene
/// keeps busy.
[[nodiscard]] int scenesInFlight(const method::Prediction& prediction, std::int64_t sceneBytes,
                                 std::int64_t memoryBytes);

/// What a flight is made of. `job` must live as long.
struct FlightOrder {
    const Job& job;
    JobImages images; ///< templates and masks
    WorkKind kind;
    std::string scene; ///< its name, for errors
    /// What the scene at hand shares, if this one is to run too.
    std::optional<Shared> shared;
};

/// A scene on a thread of its own before its turn comes: read, and run too where the one at hand
/// shares its plan and this one poses the same problem. What fails is told by its turn, which does
/// it again.
///
/// **Threads**: one calls; the destructor stops and waits.
class Flight {
  public:
    /// `reading` is held while files are read.
    Flight(FlightOrder order, std::mutex& reading, const std::stop_token& stop);
    ~Flight();
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

    /// Waits for the end of reading; null when it failed or was stopped.
    [[nodiscard]] std::shared_ptr<const SceneImage> image();
    /// Waits until it is known whether the scene runs: then what it runs by, whose group is being
    /// computed until finish(); else null.
    [[nodiscard]] SceneWork* work();
    /// GroupRun::compute() of the run: tells `progress` of what is done, then of what comes.
    /// **Errors**: those of the run.
    [[nodiscard]] bool finish(const GroupRun::Progress& progress);
    /// Stops the run and gives up all but the image.
    void ground();

  private:
    enum class Stage { Reading, Looking, Running, Landed };

    void fly(const std::stop_token& stop, std::mutex& reading);
    void run(std::shared_ptr<const SceneImage> image, const base::Stopwatch& watch,
             const std::stop_token& stop);
    void enter(Stage stage);
    void awaitStage(Stage stage);
    [[nodiscard]] GroupRun::Progress recorder();

    FlightOrder m_order;
    std::unique_ptr<SceneWork> m_work;

    std::mutex m_lock; // guards what follows
    std::condition_variable m_changed;
    Stage m_stage = Stage::Reading;
    std::shared_ptr<const SceneImage> m_image;
    bool m_ran = false;  ///< m_work is being computed, or was
    bool m_done = false; ///< to its end
    std::exception_ptr m_error;
    std::vector<base::Box> m_finished; ///< until somebody listens
    double m_share = 0;
    const GroupRun::Progress* m_listener = nullptr;

    std::jthread m_thread; ///< last: its end uses the members above
};

/// The scenes after the one at hand, in the order of their turns.
class Ahead {
  public:
    void start(FlightOrder order, const std::stop_token& stop) {
        m_flights.push_back(std::make_unique<Flight>(std::move(order), m_reading, stop));
    }
    /// The next scene; null when it was not begun.
    [[nodiscard]] std::unique_ptr<Flight> take();
    [[nodiscard]] int count() const { return static_cast<int>(m_flights.size()); }
    /// Waits until no file is being read.
    void awaitFiles();
    /// Ends all runs; the image of the next scene alone stays.
    void ground();
    /// Held while files are read.
    [[nodiscard]] std::mutex& reading() { return m_reading; }

  private:
    std::mutex m_reading; ///< libraries for files are asked by one thread at a time
    std::deque<std::unique_ptr<Flight>> m_flights;
};

} // namespace flcc::job::detail
