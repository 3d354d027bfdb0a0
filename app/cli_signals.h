#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace flcc::app {

/// While it exists, turns the first SIGINT or SIGTERM into a stop request. A second signal removes
/// the temporary files and ends the process at once with exit code 130. A thread waits for the
/// signals, because a signal handler must not lock. Construct it before any other thread, so that
/// all threads inherit the blocked signals. Ignores SIGPIPE, so that a closed pipe is reported as a
/// failed write.
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
