#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace flcc::app {

/// Turns the first SIGINT or SIGTERM into a stop request for as long as it lives; a second one ends
/// the process at once with exit code 130, its temporary files removed. A thread waits for them, as
/// no handler may lock; make it before any other thread, so that all inherit the blocked signals.
/// Also ignores SIGPIPE: a closed pipe shows as a failed write.
class SignalWatch {
  public:
    SignalWatch();

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }

  private:
    sigset_t m_signals{};
    std::stop_source m_stop;
    std::jthread m_thread;
};

/// Opens /dev/null in place of closed standard streams, so that no output file becomes one of them.
void openStandardStreams();

} // namespace flcc::app
