// Reads the bytes as a job file and as a report whose plan is replayed. A job that was read must be
// the same job after it is written as a job file and read again, and the same options after it is
// written as options and read again; "-a.mha" becomes "./-a.mha" as an option.

#include <string>

#include "engine/base/error.h"
#include "engine/job/any_job.h"
#include "engine/job/report.h"
#include "tests/fuzz/input_file.h"

namespace job = flcc::job;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::optional<job::Job> read;
    try {
        read = job::fromJobFile({reinterpret_cast<const char*>(data), size});
    } catch (const flcc::base::Error&) { // a sentence for the user: what should happen
    }
    if (read) {
        flcc::fuzz::require(job::fromJobFile(job::toJobFile(*read)) == *read);
        const std::vector<std::string> options = job::toArguments(*read);
        flcc::fuzz::require(job::toArguments(job::parseArguments("match", options).job) == options);
        return 0;
    }
    try {
        (void)job::chosenCandidate(flcc::fuzz::inputFile(data, size).string(), {16, 16, 1});
    } catch (const flcc::base::Error&) {
    }
    return 0;
}
