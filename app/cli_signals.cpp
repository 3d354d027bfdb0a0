#include "app/cli_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "app/cli_commands.h"
#include "engine/io/atomic_file.h"

namespace flcc::app {

SignalWatch::SignalWatch() {
    std::signal(SIGPIPE, SIG_IGN);
    sigemptyset(&m_signals);
    sigaddset(&m_signals, SIGINT);
    sigaddset(&m_signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &m_signals, nullptr);
    m_thread = std::jthread([this](const std::stop_token& ending) {
        const timespec wait{.tv_sec = 0, .tv_nsec = 50'000'000};
        while (!ending.stop_requested()) {
            if (sigtimedwait(&m_signals, nullptr, &wait) > 0 && !m_stop.request_stop()) {
                io::abandonAtomicFiles();
                std::_Exit(kInterrupted);
            }
        }
    });
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
