#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/job/job.h"

namespace flcc::app {

/// A bar on standard error while a job goes on, if that is a terminal; the phases as log lines.
class ProgressBar : public job::JobSink {
  public:
    explicit ProgressBar(bool visible) : m_visible(visible) {}
    ~ProgressBar() override { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    [[nodiscard]] bool wantsMaps() const override { return false; } // files alone are written
    void sceneStarted(const job::SceneTurn& at) override;
    void phase(job::Phase phase) override;
    void progress(double share) override;

    /// What stands before the bar from now on.
    void label(std::string_view text);

    /// Removes the bar from the screen.
    void clear();

  private:
    bool m_visible;
    std::string m_scene; // " 2/5" where there are several
    std::mutex m_mutex;  // guards what follows
    std::string m_label{job::name(job::Phase::Read)};
    bool m_drawn = false;
    std::chrono::steady_clock::time_point m_last;
};

/// True when standard error is a terminal.
[[nodiscard]] bool errorIsTerminal();

} // namespace flcc::app
