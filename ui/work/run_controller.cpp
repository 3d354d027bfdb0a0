#include "ui/work/run_controller.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "engine/base/tile_pool.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/document/thumbnail.h"

namespace flcc::ui {
namespace {

constexpr int kUpdateMs = 50;

} // namespace

/// Collects the reports of the engine, so that the GUI thread can process them at its own pace.
class RunController::Sink : public job::JobSink {
  public:
    explicit Sink(RunController& controller) : m_controller(controller) {}

    void sceneStarted(const job::SceneTurn& at) override {
        m_scene = (at.isFrame ? tr("frame %1 of %2") : tr("scene %1 of %2"))
                      .arg(at.turn + 1)
                      .arg(at.count);
        if (at.isFrame) {
            return; // of one scene, with one result
        }
        m_controller.post(
            [this_ = &m_controller, number = at.number] { Q_EMIT this_->sceneStarted(number); });
    }
    void sceneFinished(const job::SceneTurn& at, const job::JobResult& result) override {
        if (at.isFrame) {
            return;
        }
        auto kept = std::make_shared<job::JobResult>(result);
        QImage thumbnail;
        if (result.scene) {
            thumbnail = thumbnailOf(base::viewOf(result.scene->pixels), kThumbnailSide);
            auto scene = std::make_shared<job::SceneImage>();
            scene->geometry = result.scene->geometry;
            scene->directed = result.scene->directed;
            scene->source = result.scene->source;
            scene->note = result.scene->note;
            scene->sha256 = result.scene->sha256;
            scene->dataFile = result.scene->dataFile;
            scene->series = result.scene->series;
            kept->scene = std::move(scene);
        }
        const QImage ofMap = thumbnailOf(result, kThumbnailSide);
        m_controller.post([this_ = &m_controller, number = at.number, kept, thumbnail, ofMap] {
            Q_EMIT this_->sceneFinished(number, kept, thumbnail, ofMap);
        });
    }
    void phase(job::Phase phase) override {
        {
            const std::scoped_lock lock(m_controller.m_mutex);
            m_controller.m_progress = 0;
            m_controller.m_searched.reset(); // of another phase
        }
        const QString word = toQString(job::name(phase));
        const QString name = m_scene.isEmpty() ? word : tr("%1, %2").arg(m_scene, word);
        m_controller.post([this_ = &m_controller, name] { Q_EMIT this_->phaseChanged(name); });
    }
    void progress(double share) override {
        const std::scoped_lock lock(m_controller.m_mutex);
        m_controller.m_progress = share;
    }
    void planned(const plan::PlanReport& report) override {
        m_controller.post([this_ = &m_controller, report] { Q_EMIT this_->planned(report); });
    }
    void mapStarted(std::shared_ptr<const method::MatchMap> map) override {
        std::uint64_t number = 0;
        {
            const std::scoped_lock lock(m_controller.m_mutex);
            m_controller.m_regions.clear(); // of a map that was given up
            m_controller.m_best.reset();
            number = ++m_controller.m_mapsStarted;
        }
        m_controller.post([this_ = &m_controller, number, map = std::move(map)] {
            Q_EMIT this_->mapStarted(map);
            const std::scoped_lock lock(this_->m_mutex);
            this_->m_mapReported = number;
        });
    }
    void verification(job::Verification now, const std::string& reason) override {
        m_controller.post([this_ = &m_controller, now, sentence = toQString(reason)] {
            Q_EMIT this_->verificationChanged(now, sentence);
        });
    }
    void searched(std::int64_t members, std::int64_t of) override {
        const std::scoped_lock lock(m_controller.m_mutex);
        m_controller.m_searched.emplace(members, of);
    }
    void bestSoFar(std::shared_ptr<const method::MatchMap> map) override {
        const std::scoped_lock lock(m_controller.m_mutex);
        m_controller.m_best = std::move(map);
    }
    void regionFinished(const base::Box& region) override {
        const std::scoped_lock lock(m_controller.m_mutex);
        m_controller.m_regions.push_back(region);
    }

  private:
    RunController& m_controller;
    QString m_scene; ///< which of several is at hand
};

RunController::RunController(QObject* parent) : QObject(parent), m_noMemory(noMemoryText()) {
    m_timer.setInterval(kUpdateMs);
    connect(&m_timer, &QTimer::timeout, this, &RunController::drain);
    m_thread = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

RunController::~RunController() {
    cancel();
    m_thread.request_stop();
    m_wake.notify_all();
    m_thread.join();
}

bool RunController::isWorking() const {
    return std::ranges::any_of(
        m_unfinished, [](const std::shared_ptr<Item>& item) { return !isBackground(item->task); });
}

bool RunController::isPending(Task task) const {
    return std::ranges::any_of(
        m_unfinished, [task](const std::shared_ptr<Item>& item) { return item->task == task; });
}

void RunController::forget(const std::shared_ptr<Item>& item) { std::erase(m_unfinished, item); }

void RunController::start(Task task, const QString& title, Work work) {
    auto item = std::make_shared<Item>();
    item->id = ++m_lastId;
    item->task = task;
    item->title = title;
    item->work = std::move(work);
    {
        const std::scoped_lock lock(m_mutex);
        for (const std::shared_ptr<Item>& waiting : m_queue) {
            if (isBackground(waiting->task)) {
                forget(waiting);
            }
        }
        std::erase_if(m_queue, [](const std::shared_ptr<Item>& waiting) {
            return isBackground(waiting->task);
        });
        if (m_active && isBackground(m_active->task)) {
            m_active->stop.request_stop();
        }
        m_unfinished.push_back(item);
        m_queue.push_back(std::move(item));
    }
    m_wake.notify_one();
}

void RunController::cancel() {
    const std::scoped_lock lock(m_mutex);
    for (const std::shared_ptr<Item>& waiting : m_queue) {
        forget(waiting);
    }
    m_queue.clear();
    if (m_active) {
        m_active->stop.request_stop();
    }
}

void RunController::post(std::function<void()> call) {
    QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

/// Like post(), for what the window must be told: tries until there is memory for it.
template <class Call> void RunController::postSurely(const Call& call) {
    while (true) {
        try {
            post(call);
            return;
        } catch (const std::bad_alloc&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(kUpdateMs));
        }
    }
}

void RunController::loop(const std::stop_token& stop) {
    base::giveWay();
    while (true) {
        std::shared_ptr<Item> item;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, stop, [this] { return !m_queue.empty(); })) {
                return;
            }
            item = m_queue.front();
            m_queue.pop_front();
            m_active = item;
        }
        postSurely([this, item] {
            m_current = item;
            m_timer.start();
            Q_EMIT started(item->task, item->title);
        });
        perform(item);
    }
}

void RunController::perform(const std::shared_ptr<Item>& item) {
    Done done;
    QString sentence;
    try {
        Sink sink(*this);
        done = item->work(item->stop.get_token(), &sink);
    } catch (const std::bad_alloc&) {
        sentence = m_noMemory;
    } catch (const std::exception& error) {
        sentence = sentenceOf(error);
    }
    std::vector<base::Box> regions;
    std::optional<std::pair<std::int64_t, std::int64_t>> searched;
    {
        const std::scoped_lock lock(m_mutex);
        m_active.reset();
        regions.swap(m_regions);
        m_progress = -1;
        searched = std::exchange(m_searched, std::nullopt);
        m_best.reset();
    }
    // The work may own large images: they must go before the next work starts.
    item->work = nullptr;
    const auto end = [this, item, done = std::move(done), regions = std::move(regions), searched,
                      sentence] {
        m_timer.stop();
        if (searched) {
            Q_EMIT searchedChanged(searched->first, searched->second);
        }
        if (!regions.empty()) {
            Q_EMIT regionsFinished(regions);
        }
        m_current.reset();
        forget(item);
        if (!sentence.isEmpty()) {
            Q_EMIT failed(item->task, sentence);
        } else if (done) {
            try {
                done();
            } catch (const std::bad_alloc&) {
                Q_EMIT failed(item->task, m_noMemory);
            } catch (const std::exception& error) {
                Q_EMIT failed(item->task, sentenceOf(error));
            }
        }
        Q_EMIT finished(item->task);
    };
    postSurely(end);
}

QString RunController::sentenceOf(const std::exception& error) const {
    try {
        return inWindowWords(error);
    } catch (const std::bad_alloc&) {
        return m_noMemory;
    }
}

void RunController::drain() {
    std::vector<base::Box> regions;
    std::shared_ptr<const method::MatchMap> best;
    std::optional<std::pair<std::int64_t, std::int64_t>> searched;
    double progress = -1;
    {
        const std::scoped_lock lock(m_mutex);
        if (m_mapReported == m_mapsStarted) {
            regions.swap(m_regions);
            best = std::exchange(m_best, nullptr);
        }
        progress = std::exchange(m_progress, -1);
        searched = std::exchange(m_searched, std::nullopt);
    }
    if (searched) {
        Q_EMIT searchedChanged(searched->first, searched->second);
    }
    if (best) {
        Q_EMIT bestSoFarChanged(best);
    }
    if (progress >= 0) {
        Q_EMIT progressChanged(progress);
    }
    if (!regions.empty()) {
        Q_EMIT regionsFinished(regions);
    }
}

} // namespace flcc::ui
