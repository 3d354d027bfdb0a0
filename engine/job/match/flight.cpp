#include "engine/job/match/flight.h"
#include "engine/job/input/channels.h"

#include <utility>

namespace flcc::job::detail {

int scenesInFlight(const method::Prediction& prediction, std::int64_t sceneBytes,
                   std::int64_t memoryBytes) {
    int scenes = 1;
    while (scenes < kMostScenes &&
           (scenes + 1) * prediction.onDevice.bytes <= prediction.onDevice.memory &&
           prediction.hostBytes + scenes * (prediction.hostBytes + sceneBytes) <= memoryBytes) {
        ++scenes;
    }
    return prediction.onDevice.times ? scenes : 1;
}

Flight::Flight(FlightOrder order, std::mutex& reading, const std::stop_token& stop)
    : m_order(std::move(order)), m_thread([this, &reading, stop](const std::stop_token& end) {
          std::stop_source either;
          const auto request = [&either] { either.request_stop(); };
          const std::stop_callback whenStopped(stop, request);
          const std::stop_callback whenEnded(end, request);
          fly(either.get_token(), reading);
      }) {}

Flight::~Flight() = default;

void Flight::fly(const std::stop_token& stop, std::mutex& reading) {
    try {
        std::unique_lock files(reading);
        const base::Stopwatch watch;
        const Job& job = m_order.job;
        std::shared_ptr<const SceneImage> image =
            usable(job, m_order.images.scene) ? m_order.images.scene
            : m_order.frames != nullptr       ? m_order.frames->load(m_order.frame, stop)
                                              : sceneOf(job, nullptr, stop);
        files.unlock();
        {
            const std::lock_guard guard(m_lock);
            m_image = image;
        }
        enter(Stage::Looking);
        if (image && m_order.shared) {
            m_work = std::make_unique<SceneWork>();
            run(std::move(image), watch, stop);
        }
    } catch (...) { // the job reports the error when it reaches the scene
        const std::lock_guard guard(m_lock);
        m_error = std::current_exception();
    }
    enter(Stage::Landed);
}

void Flight::run(std::shared_ptr<const SceneImage> image, const base::Stopwatch& watch,
                 const std::stop_token& stop) {
    JobImages images = m_order.images;
    images.scene = std::move(image);
    m_work->inputs = readInputs(m_order.job, images, m_order.scene, stop);
    if (!stop.stop_requested()) {
        makeGroups(*m_work, m_order.job, m_order.kind, stop);
    }
    m_work->readMs = watch.ms();
    std::vector<GroupRun>& groups = m_work->groups;
    if (stop.stop_requested() || groups.size() != 1 ||
        groups.front().problem() != m_order.shared->problem) {
        return;
    }
    groups.front().takeOver(std::move(*m_order.shared));
    if (!groups.front().makeMap(stop)) {
        return;
    }
    {
        const std::lock_guard guard(m_lock);
        m_ran = true;
    }
    enter(Stage::Running);
    const bool done = groups.front().compute(recorder(), stop);
    const std::lock_guard guard(m_lock);
    m_done = done;
}

GroupRun::Progress Flight::recorder() {
    return {.regionFinished =
                [this](const base::Box& box) {
                    const std::lock_guard guard(m_lock);
                    if (m_listener != nullptr) {
                        m_listener->regionFinished(box);
                    } else {
                        m_finished.push_back(box);
                    }
                },
            .share =
                [this](double share) {
                    const std::lock_guard guard(m_lock);
                    m_share = share;
                    if (m_listener != nullptr) {
                        m_listener->share(share);
                    }
                }};
}

void Flight::enter(Stage stage) {
    {
        const std::lock_guard guard(m_lock);
        m_stage = stage;
    }
    m_changed.notify_all();
}

void Flight::awaitStage(Stage stage) {
    std::unique_lock lock(m_lock);
    m_changed.wait(lock, [&] { return m_stage >= stage; });
}

std::shared_ptr<const SceneImage> Flight::image() {
    awaitStage(Stage::Looking);
    const std::lock_guard guard(m_lock);
    return m_image;
}

SceneWork* Flight::work() {
    awaitStage(Stage::Running);
    const std::lock_guard guard(m_lock);
    return m_ran ? m_work.get() : nullptr;
}

bool Flight::finish(const GroupRun::Progress& progress) {
    {
        const std::lock_guard guard(m_lock);
        for (const base::Box& box : m_finished) {
            progress.regionFinished(box);
        }
        progress.share(m_share);
        m_listener = &progress;
    }
    awaitStage(Stage::Landed);
    const std::lock_guard guard(m_lock);
    if (m_error) {
        std::rethrow_exception(std::exchange(m_error, nullptr));
    }
    return m_done;
}

void Flight::ground() {
    m_thread.request_stop();
    if (m_thread.joinable()) {
        m_thread.join();
    }
    m_ran = false;
    m_work.reset();
}

std::unique_ptr<Flight> Ahead::take() {
    if (m_flights.empty()) {
        return nullptr;
    }
    std::unique_ptr<Flight> next = std::move(m_flights.front());
    m_flights.pop_front();
    return next;
}

void Ahead::awaitFiles() {
    for (const auto& flight : m_flights) {
        (void)flight->image();
    }
}

void Ahead::ground() {
    while (m_flights.size() > 1) {
        m_flights.pop_back();
    }
    for (const auto& flight : m_flights) {
        flight->ground();
    }
}

} // namespace flcc::job::detail
