#pragma once

#include <chrono>
#include <mutex>

#include "engine/job/job.h"

namespace flcc::app {

/// A bar on standard error while a job goes on, if that is a terminal; the phases as log lines.
class ProgressBar : public job::JobSink {
  public:
    explicit ProgressBar(bool visible) : m_visible(visible) {}
    ~ProgressBar() override { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void phase(job::Phase phase) override;
    void progress(double share) override;

    /// Removes the bar from the screen.
    void clear();

  private:
    bool m_visible;
    std::mutex m_mutex; // guards what follows
    job::Phase m_phase = job::Phase::Read;
    bool m_drawn = false;
    std::chrono::steady_clock::time_point m_last;
};

/// True when standard error is a terminal.
[[nodiscard]] bool errorIsTerminal();

} // namespace flcc::app
