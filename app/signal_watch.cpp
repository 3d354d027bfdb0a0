#include "app/signal_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "engine/io/atomic_file.h"

namespace flcc::app {

namespace {

bool isIgnored(int signal) {
    struct sigaction now {};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

/// The signals that ask the program to end.
sigset_t endingSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    for (const int signal : {SIGHUP, SIGQUIT, SIGXCPU}) {
        if (!isIgnored(signal)) { // a blocked signal would arrive although it is ignored
            sigaddset(&signals, signal);
        }
    }
    return signals;
}

} // namespace

void blockSignals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    const sigset_t signals = endingSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

SignalWatch::SignalWatch()
    : m_thread([this](const std::stop_token& ending) {
          const sigset_t signals = endingSignals();
          while (true) {
              const bool came = sigwaitinfo(&signals, nullptr) > 0;
              if (ending.stop_requested()) {
                  return;
              }
              if (came && !m_stop.request_stop()) {
                  io::abandonAtomicFiles();
                  std::_Exit(kInterrupted);
              }
          }
      }) {}

SignalWatch::~SignalWatch() {
    m_thread.request_stop();
    pthread_kill(m_thread.native_handle(), SIGTERM); // it waits for this too
}

void openStandardStreams() {
    // open() takes the lowest free number, so this fills the gaps from below.
    while (true) {
        const int number = ::open("/dev/null", O_RDWR);
        if (number < 0 || number > STDERR_FILENO) {
            if (number > STDERR_FILENO) {
                ::close(number);
            }
            return;
        }
    }
}

} // namespace flcc::app
