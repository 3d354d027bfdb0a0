// Reads the bytes as a job file and as a report whose plan is replayed.

#include <string>

#include "engine/base/error.h"
#include "engine/job/arguments.h"
#include "engine/job/report.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const std::string text(reinterpret_cast<const char*>(data), size);
        (void)flcc::job::toJobFile(flcc::job::fromJobFile(text));
    } catch (const flcc::base::Error&) { // a sentence for the user: what should happen
    }
    try {
        (void)flcc::job::chosenCandidate(flcc::fuzz::inputFile(data, size).string(), {16, 16, 1});
    } catch (const flcc::base::Error&) {
    }
    return 0;
}
