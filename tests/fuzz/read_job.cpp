// Reads the bytes as a job file and as a report whose plan is replayed.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/error.h"
#include "engine/job/arguments.h"
#include "engine/job/report.h"

namespace {

std::string filePath() {
    return "/dev/shm/flcc-fuzz-" + std::to_string(::getpid()) + "." + FLCC_EXTENSION;
}

void removeFile() {
    std::error_code ignored;
    std::filesystem::remove(filePath(), ignored);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const int kRegistered = std::atexit(removeFile);
    (void)kRegistered;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        (void)flcc::job::toJobFile(flcc::job::fromJobFile(text));
    } catch (const flcc::base::Error&) { // a sentence for the user: what should happen
    }
    std::ofstream(filePath(), std::ios::binary) << text;
    try {
        (void)flcc::job::chosenCandidate(filePath(), {16, 16, 1});
    } catch (const flcc::base::Error&) {
    }
    return 0;
}
