#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "app/cli_commands.h"
#include "app/cli_options.h"
#include "app/memory_guard.h"
#include "app/signal_watch.h"
#include "engine/base/allocation.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

namespace {

using flcc::base::ErrorCode;

constexpr const char* kNoMemory =
    "flcc-cli: not enough memory; search a smaller scene or set a smaller --memory\n";

int fail(ErrorCode code, const std::string& sentence) {
    (void)flcc::app::writeAll(STDERR_FILENO, "flcc-cli: " + flcc::base::oneLine(sentence) + "\n");
    return static_cast<int>(code);
}

/// The system cannot start a thread or do something else because memory is short.
bool isMemoryFailure(const std::system_error& error) {
    return error.code() == std::errc::not_enough_memory ||
           error.code() == std::errc::resource_unavailable_try_again;
}

int run(const std::vector<std::string>& args) {
    try {
        const flcc::app::SignalWatch signals;
        return flcc::app::runCommand(args, signals.token());
    } catch (const flcc::base::Error& error) {
        return fail(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::system_error& error) {
        if (isMemoryFailure(error)) {
            throw std::bad_alloc();
        }
        return fail(ErrorCode::Internal, std::string("internal error: ") + error.what());
    } catch (const std::exception& error) {
        return fail(ErrorCode::Internal, std::string("internal error: ") + error.what());
    }
}

void prepare() {
    flcc::app::blockSignals();
    flcc::app::guardMemory(kNoMemory);
}

/// The loader calls it before the initialisation of any library: a signal in the first milliseconds
/// is then answered as later ones are.
[[gnu::section(".preinit_array"), gnu::used]] void (*const kFirst)() = prepare;

} // namespace

int main(int argc, char** argv) {
    try {
        flcc::app::openStandardStreams();
        flcc::base::keepFreedBuffers();
        return run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    } catch (const std::bad_alloc&) { // also from printing another error
        flcc::app::endWithoutMemory(kNoMemory);
    }
}
