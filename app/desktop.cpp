#include "app/memory_guard.h"
#include "app/signal_watch.h"
#include "engine/base/allocation.h"
#include "ui/window/startup.h"

int main(int argc, char** argv) {
    flcc::app::blockSignals();
    flcc::app::guardMemory(
        "flcc: not enough memory; close other programs or use a smaller scene\n");
    flcc::app::endWhereNewFails();
    flcc::base::keepFreedBuffers();
    const flcc::app::SignalWatch signals;
    const int code =
        flcc::ui::runDesktop(argc, argv, QStringLiteral(FLCC_VERSION), signals.token());
    return signals.token().stop_requested() ? flcc::app::kInterrupted : code;
}
