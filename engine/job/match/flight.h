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
#include "engine/job/job.h"
#include "engine/job/match/group_run.h"
#include "engine/job/match/scene_work.h"
#include "engine/job/stream/frames.h"
#include "engine/method/candidate.h"

namespace flcc::job::detail {

/// Largest number of scenes that are processed at once with a device: one is read, one is computed,
/// one is verified and finished.
inline constexpr int kMostScenes = 3;

/// How many scenes with the same plan, `sceneBytes` each, may be processed at once: as many as fit
/// `memoryBytes` of the host and the memory of the device. 1 on the processor, which a single scene
/// keeps busy.
[[nodiscard]] int scenesInFlight(const method::Prediction& prediction, std::int64_t sceneBytes,
                                 std::int64_t memoryBytes);

/// Arguments of a Flight. `job` must outlive it.
struct FlightOrder {
    const Job& job;
    JobImages images; ///< templates and masks; the scene where it is in memory
    WorkKind kind;
    std::string scene; ///< name of the scene, for errors
    /// If the scene is the frame `frame` of a stack: its frames.
    Frames* frames = nullptr;
    int frame = 0;
    /// What the current scene shares, if this scene is to run too.
    std::optional<Shared> shared;
};

/// Processes a scene on its own thread before the job reaches it. The scene is read; if the current
/// scene shares its plan and this scene has the same problem, it is run too. An error is not
/// reported from here: the job processes the scene again when it reaches it, and reports the error
/// then.
/// **Threads**: called by one thread; the destructor stops the work and waits.
class Flight {
  public:
    /// `reading` is locked while files are read.
    Flight(FlightOrder order, std::mutex& reading, const std::stop_token& stop);
    ~Flight();
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

    /// Waits until the scene is read; null if reading failed or was cancelled.
    [[nodiscard]] std::shared_ptr<const SceneImage> image();
    /// Waits until it is decided whether the scene runs. If it does, returns its work, whose group
    /// is being computed until finish(); else null.
    [[nodiscard]] SceneWork* work();
    /// Does the work of GroupRun::compute() for this run: reports to `progress` what is finished
    /// already, then what follows. **Errors**: those of the run.
    [[nodiscard]] bool finish(const GroupRun::Progress& progress);
    /// Stops the run and drops everything except the image.
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

    std::mutex m_lock; // guards the members below
    std::condition_variable m_changed;
    Stage m_stage = Stage::Reading;
    std::shared_ptr<const SceneImage> m_image;
    bool m_ran = false;  ///< m_work is being computed, or is computed
    bool m_done = false; ///< m_work is computed completely
    std::exception_ptr m_error;
    std::vector<base::Box> m_finished; ///< finished regions that were not reported yet
    double m_share = 0;
    const GroupRun::Progress* m_listener = nullptr;

    std::jthread m_thread; ///< last: it uses the members above until it ends
};

/// The scenes after the current one, in the order of processing.
class Ahead {
  public:
    void start(FlightOrder order, const std::stop_token& stop) {
        m_flights.push_back(std::make_unique<Flight>(std::move(order), m_reading, stop));
    }
    /// The next scene; null if it was not started.
    [[nodiscard]] std::unique_ptr<Flight> take();
    [[nodiscard]] int count() const { return static_cast<int>(m_flights.size()); }
    /// Waits until no file is being read.
    void awaitFiles();
    /// Stops all runs; only the image of the next scene is kept.
    void ground();
    /// Locked while files are read.
    [[nodiscard]] std::mutex& reading() { return m_reading; }

  private:
    std::mutex m_reading; ///< file libraries are called by one thread at a time
    std::deque<std::unique_ptr<Flight>> m_flights;
};

} // namespace flcc::job::detail
