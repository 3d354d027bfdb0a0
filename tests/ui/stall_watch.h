#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <ctime>

namespace flcc::test {

/// Measures how long the event loop of this thread does not turn. Processor time decides in tests,
/// because a loaded machine makes only the clock go on; the clock is for reports.
class StallWatch {
  public:
    StallWatch() {
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(5);
        m_timer.callOnTimeout([this] { turn(); });
        begin();
    }
    /// Forgets what was measured.
    void begin() {
        m_longestMs = 0;
        m_longestCpuMs = 0;
        m_clock.start();
        m_cpu = cpuMs();
        m_timer.start();
    }
    [[nodiscard]] double longestMs() const { return m_longestMs; }
    [[nodiscard]] double longestCpuMs() const { return m_longestCpuMs; }

  private:
    static double cpuMs() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    }
    void turn() {
        const double cpu = cpuMs();
        m_longestCpuMs = std::max(m_longestCpuMs, cpu - m_cpu);
        m_longestMs = std::max(m_longestMs, static_cast<double>(m_clock.nsecsElapsed()) / 1e6);
        m_cpu = cpu;
        m_clock.start();
    }

    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_cpu = 0;
    double m_longestMs = 0;
    double m_longestCpuMs = 0;
};

} // namespace flcc::test
