#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace flcc::app {

/// Exit code of a program that a signal ended.
inline constexpr int kInterrupted = 130;

/// Blocks the signals that ask the program to end, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU, so
/// that SignalWatch finds them. Signals that the parent made the program ignore, except SIGINT and
/// SIGTERM, stay ignored, as `nohup` wants. Ignores SIGPIPE and SIGXFSZ, so that a closed pipe and
/// a file that grows beyond its limit are failed writes. Call it before any thread exists.
void blockSignals();

/// While it exists, turns the first signal of blockSignals() into a stop request. A second signal
/// removes the temporary files and ends the process at once with code 130. A thread waits for the
/// signals, because a signal handler must not lock.
class SignalWatch {
  public:
    SignalWatch();
    ~SignalWatch(); ///< wakes the thread: a command ends with its work
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }

  private:
    std::stop_source m_stop;
    std::jthread m_thread;
};

/// Opens /dev/null in place of closed standard streams, so that no output file becomes one of them.
void openStandardStreams();

} // namespace flcc::app
