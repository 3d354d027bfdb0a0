#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <QTimer>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "engine/job/job.h"

namespace flcc::ui {

/// The window's one background thread: reading, planning, runs and writing happen there, one after
/// another. All signals and all Done functions come on the GUI thread.
///
/// **Threads**: every public function belongs to the GUI thread. The destructor asks the work under
/// way to stop and waits for it.
class RunController : public QObject {
    Q_OBJECT

  public:
    enum class Task { Load, Plan, Preview, Run, Export, SelfTest, Calibrate, Crossover };
    Q_ENUM(Task)

    /// Called on the GUI thread with what the work brought.
    using Done = std::function<void()>;
    /// Called on the background thread. What it throws is told by failed().
    using Work = std::function<Done(std::stop_token, job::JobSink*)>;

    explicit RunController(QObject* parent = nullptr);
    ~RunController() override;

    /// Work that nobody waits for: planning after edits, previews.
    [[nodiscard]] static bool isBackground(Task task) {
        return task == Task::Plan || task == Task::Preview;
    }

    /// Queues work. Background work gives way: whatever is started after it ends it and drops it
    /// from the queue.
    void start(Task task, const QString& title, Work work);

    /// Asks the work under way to stop and drops what waits.
    void cancel();

    [[nodiscard]] bool isBusy() const { return !m_unfinished.empty(); }
    /// True while something that a person waits for is under way: all but the background work.
    [[nodiscard]] bool isWorking() const;
    /// True from start() until the end was told, also while it waits.
    [[nodiscard]] bool isPending(Task task) const;
    [[nodiscard]] bool isRunning(Task task) const { return m_current && m_current->task == task; }

  Q_SIGNALS:
    void started(flcc::ui::RunController::Task task, const QString& title);
    /// After the Done function or failed().
    void finished(flcc::ui::RunController::Task task);
    void failed(flcc::ui::RunController::Task task, const QString& sentence);
    /// Of one of several scenes with its turn: "scene 2 of 5, matching".
    void phaseChanged(const QString& phase);
    /// Comes before the phases of each of several scenes; numbers are those of the job.
    void sceneStarted(int number);
    /// What the job told of a scene, without the scene's pixels, and a small picture of them, null
    /// where they were not read.
    void sceneFinished(int number, std::shared_ptr<const flcc::job::JobResult> result,
                       const QImage& thumbnail);
    void progressChanged(double share);
    void planned(const flcc::plan::PlanReport& report);
    void mapStarted(std::shared_ptr<const flcc::method::MatchMap> map);
    /// Comes in turn with mapStarted(), as the job tells it.
    void verificationChanged(flcc::job::Verification now, const QString& reason);
    /// Regions of the map that came to hold their final values since the last time, at most twenty
    /// times a second, and once more before finished().
    void regionsFinished(const std::vector<flcc::base::Box>& regions);

  private:
    struct Item {
        std::uint64_t id = 0;
        Task task = Task::Load;
        QString title;
        Work work;
        std::stop_source stop;
    };
    class Sink;

    void loop(const std::stop_token& stop);
    void perform(const std::shared_ptr<Item>& item);
    void post(std::function<void()> call);
    void drain();
    void forget(const std::shared_ptr<Item>& item);

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<std::shared_ptr<Item>> m_queue; ///< guarded by m_mutex
    std::vector<base::Box> m_regions;          ///< guarded by m_mutex
    std::uint64_t m_mapsStarted = 0;           ///< guarded by m_mutex
    /// Guarded by m_mutex: the last map that the receivers know. Regions wait until it is theirs.
    std::uint64_t m_mapTold = 0;
    double m_progress = -1;         ///< guarded by m_mutex
    std::shared_ptr<Item> m_active; ///< guarded by m_mutex: on the background thread

    // As the GUI thread knows it.
    std::shared_ptr<Item> m_current;
    std::vector<std::shared_ptr<Item>> m_unfinished; ///< from start() until its end was told
    std::uint64_t m_lastId = 0;
    QTimer m_timer;
    std::jthread m_thread; ///< last: its end uses the members above
};

} // namespace flcc::ui
