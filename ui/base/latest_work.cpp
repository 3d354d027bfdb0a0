#include "ui/base/latest_work.h"

#include <exception>
#include <string>
#include <utility>

#include "engine/base/log.h"

namespace flcc::ui {

LatestWork::LatestWork(QObject* parent) : QObject(parent) {
    m_thread = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

LatestWork::~LatestWork() {
    cancel();
    m_thread.request_stop();
    m_wake.notify_all();
    m_thread.join();
}

void LatestWork::start(Work work) {
    {
        const std::scoped_lock lock(m_mutex);
        m_next = std::move(work);
        m_number = ++m_started;
    }
    m_wake.notify_one();
}

void LatestWork::cancel() {
    const std::scoped_lock lock(m_mutex);
    m_stop.request_stop();
    m_stop = {};
    m_next = nullptr;
    m_ended = m_started;
}

void LatestWork::loop(const std::stop_token& stop) {
    while (true) {
        Work work;
        std::stop_source current;
        std::uint64_t number = 0;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, stop, [this] { return m_next != nullptr; })) {
                return;
            }
            work = std::exchange(m_next, nullptr);
            current = m_stop;
            number = m_number;
        }
        std::function<void()> done;
        try {
            done = work(current.get_token());
        } catch (const std::exception& error) {
            // Nothing is shown, as while it is computed.
            base::log(base::LogLevel::Warning,
                      std::string("no preview of the box: ") + error.what());
        }
        work = nullptr; // it may hold the last reference to a large image
        QMetaObject::invokeMethod(
            this,
            [this, current, number, done = std::move(done)] {
                if (current.stop_requested()) {
                    return;
                }
                m_ended = number;
                if (done) {
                    done();
                }
            },
            Qt::QueuedConnection);
    }
}

} // namespace flcc::ui
