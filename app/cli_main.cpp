#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "app/cli_commands.h"
#include "app/cli_signals.h"
#include "engine/base/allocation.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

namespace {

int fail(flcc::base::ErrorCode code, const std::string& sentence) {
    std::cerr << "flcc-cli: " + flcc::base::oneLine(sentence) + "\n" << std::flush;
    return static_cast<int>(code);
}

} // namespace

int main(int argc, char** argv) {
    using flcc::base::ErrorCode;
    try {
        flcc::app::openStandardStreams();
        flcc::base::keepFreedBuffers();
        const flcc::app::SignalWatch signals;
        return flcc::app::runCommand(
            std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), signals.token());
    } catch (const flcc::base::Error& error) {
        return fail(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::Memory,
                    "not enough memory; search a smaller scene or set a smaller --memory");
    } catch (const std::exception& error) {
        return fail(ErrorCode::Internal, std::string("internal error: ") + error.what());
    }
}
