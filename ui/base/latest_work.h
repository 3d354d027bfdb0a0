#pragma once

#include <QObject>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace flcc::ui {

/// Computes what follows the mouse, on a thread of its own: that of RunController may be busy with
/// a run. Of several requests only the newest waits; the one that is computed is finished, so that
/// something is shown while the mouse moves.
///
/// **Threads**: every public function belongs to the GUI thread. The destructor stops the work and
/// waits for it.
class LatestWork : public QObject {
    Q_OBJECT

  public:
    /// Called on the thread; returns what is called on the GUI thread afterwards, or nothing.
    using Work = std::function<std::function<void()>(const std::stop_token& stop)>;

    explicit LatestWork(QObject* parent = nullptr);
    ~LatestWork() override;

    /// Replaces the work that waits.
    void start(Work work);
    /// Stops the current work and drops the one that waits: neither shows a result.
    void cancel();
    [[nodiscard]] bool isBusy() const { return m_started != m_ended; }

  private:
    void loop(const std::stop_token& stop);

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    Work m_next;                ///< guarded by m_mutex
    std::stop_source m_stop;    ///< guarded by m_mutex: of the current and the next work
    std::uint64_t m_number = 0; ///< guarded by m_mutex: of the newest request

    std::uint64_t m_started = 0;
    std::uint64_t m_ended = 0;
    std::jthread m_thread; ///< last member: it is joined before the members above are destroyed
};

} // namespace flcc::ui
