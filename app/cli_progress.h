#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "engine/job/job.h"

namespace flcc::app {

/// Shows the progress of a job: a bar on standard error if `visible`, and the phases as log lines.
class ProgressBar : public job::JobSink {
  public:
    explicit ProgressBar(bool visible) : m_visible(visible) {}
    ~ProgressBar() override { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    [[nodiscard]] bool wantsMaps() const override { return false; } // the command only writes files
    void sceneStarted(const job::SceneTurn& at) override;
    void doing(std::string_view word) override;
    void found(double sigma, std::span<const features::Blob> blobs) override;
    void progress(double share) override;
    void searched(std::int64_t members, std::int64_t of) override;

    /// Sets the text before the bar.
    void label(std::string_view text);

    /// Removes the bar from the screen.
    void clear();

  private:
    bool m_visible;
    std::string m_scene; // " 2/5" with several scenes, otherwise empty
    std::mutex m_mutex;  // guards the members below
    std::string m_label{job::name(job::Phase::Read)};
    bool m_drawn = false;
    std::chrono::steady_clock::time_point m_last;
    std::string m_speed; // of a search over poses
    std::int64_t m_firstMembers = 0;
    std::chrono::steady_clock::time_point m_firstTime; // when those were searched
};

/// Shows what a command that runs no job does now: redrawn in place on a terminal; elsewhere a line
/// for each kind of work.
class WorkProgress {
  public:
    explicit WorkProgress(bool visible);
    ~WorkProgress() { clear(); }
    WorkProgress(const WorkProgress&) = delete;
    WorkProgress& operator=(const WorkProgress&) = delete;

    void operator()(std::string_view doing, double share);

    /// Removes the line from the terminal.
    void clear();

  private:
    bool m_visible;
    bool m_terminal;
    bool m_drawn = false;
    std::string m_doing;
};

/// True when standard error is a terminal.
[[nodiscard]] bool errorIsTerminal();

} // namespace flcc::app
