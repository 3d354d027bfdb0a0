#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <QTimer>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "engine/job/job.h"

namespace flcc::ui {

/// Owns the window's only background thread, which reads files, plans, runs and writes, one task
/// after another. All signals and all Done functions are called on the GUI thread.
///
/// **Threads**: every public function belongs to the GUI thread. The destructor asks the current
/// work to stop and waits for it.
class RunController : public QObject {
    Q_OBJECT

  public:
    enum class Task {
        Load,
        Plan,
        Preview,
        Peaks,
        Run,
        Export,
        SelfTest,
        Calibrate,
        Figure,
        Features,
        Filter,
        Batch
    };
    Q_ENUM(Task)

    /// Called on the GUI thread after the work; it holds the work's result.
    using Done = std::function<void()>;
    /// Called on the background thread. An exception from it is reported by failed().
    using Work = std::function<Done(std::stop_token, job::JobSink*)>;

    explicit RunController(QObject* parent = nullptr);
    ~RunController() override;

    /// True for work that the user does not wait for: planning after edits, previews, searching the
    /// peaks of a map again.
    [[nodiscard]] static bool isBackground(Task task) {
        return task == Task::Plan || task == Task::Preview || task == Task::Peaks;
    }

    /// Queues work. New work stops running background work and removes queued background work.
    void start(Task task, const QString& title, Work work);

    /// Asks the current work to stop and removes all queued work.
    void cancel();

    [[nodiscard]] bool isBusy() const { return !m_unfinished.empty(); }
    /// True while any work except background work is queued or running.
    [[nodiscard]] bool isWorking() const;
    /// True while the task is queued or running; already false when its Done function is called.
    [[nodiscard]] bool isPending(Task task) const;
    [[nodiscard]] bool isRunning(Task task) const { return m_current && m_current->task == task; }

  Q_SIGNALS:
    void started(flcc::ui::RunController::Task task, const QString& title);
    /// Emitted after the Done function or after failed().
    void finished(flcc::ui::RunController::Task task);
    void failed(flcc::ui::RunController::Task task, const QString& sentence);
    /// The phase; with several scenes it includes the scene: "scene 2 of 5, matching".
    void phaseChanged(const QString& phase);
    /// With several scenes, emitted before the phases of each scene. `number` is the scene's number
    /// in the job.
    void sceneStarted(int number);
    /// The result of one scene, without the scene's pixels, and thumbnails of both. `ofScene` is
    /// null if the pixels were not read, `ofMap` if there is no map.
    void sceneFinished(int number, std::shared_ptr<const flcc::job::JobResult> result,
                       const QImage& ofScene, const QImage& ofMap);
    void progressChanged(double share);
    /// Of a search over poses: templates in poses searched so far, of so many.
    void searchedChanged(std::int64_t members, std::int64_t of);
    /// Of a search over poses: a copy of the best scores so far, which nobody changes.
    void bestSoFarChanged(std::shared_ptr<const flcc::method::MatchMap> map);
    void planned(const flcc::plan::PlanReport& report);
    void mapStarted(std::shared_ptr<const flcc::method::MatchMap> map);
    /// Emitted in the same order relative to mapStarted() as the job reports it.
    void verificationChanged(flcc::job::Verification now, const QString& reason);
    /// Regions of the map that hold their final values since the last signal. Emitted at most
    /// twenty times a second, and once more before finished().
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
    template <class Call> void postSurely(const Call& call);
    [[nodiscard]] QString sentenceOf(const std::exception& error) const;
    void drain();
    void forget(const std::shared_ptr<Item>& item);

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<std::shared_ptr<Item>> m_queue; ///< guarded by m_mutex
    std::vector<base::Box> m_regions;          ///< guarded by m_mutex
    std::uint64_t m_mapsStarted = 0;           ///< guarded by m_mutex
    /// Guarded by m_mutex: number of the last map that mapStarted() has announced. Regions of a
    /// newer map wait until then.
    std::uint64_t m_mapReported = 0;
    double m_progress = -1; ///< guarded by m_mutex
    /// Guarded by m_mutex: of JobSink::searched() and bestSoFar() since the last signal.
    std::optional<std::pair<std::int64_t, std::int64_t>> m_searched;
    std::shared_ptr<const method::MatchMap> m_best;
    /// Guarded by m_mutex: the task that the background thread runs.
    std::shared_ptr<Item> m_active;

    // State of the GUI thread, which may lag behind the background thread.
    std::shared_ptr<Item> m_current;
    std::vector<std::shared_ptr<Item>> m_unfinished; ///< queued and running tasks
    std::uint64_t m_lastId = 0;
    QTimer m_timer;
    QString m_noMemory;    ///< made at the start, when there is memory for it
    std::jthread m_thread; ///< last member: it is joined before the members above are destroyed
};

} // namespace flcc::ui
