#include <string_view>
#include <utility>

#include "engine/io/image_file.h"
#include "engine/job/report.h"
#include "engine/plan/planner.h"

namespace flcc::job {

Environment environment() {
    Environment environment;
    environment.versions = {
        {"flcc", FLCC_VERSION}, {"compiler", FLCC_COMPILER}, {"images", io::imageLibraryVersion()}};
    for (auto& library : plan::libraryVersions()) {
        environment.versions.push_back(std::move(library));
    }
    for (const plan::Device& device : plan::devices(plan::DeviceDetail::Names)) {
        if (environment.processor.empty()) {
            environment.processor = device.name;
            environment.instructions = device.instructions;
        }
        environment.devices.push_back(
            device.id + ": " + device.name +
            (device.usable ? "" : " (cannot be used: " + device.reason + ")"));
    }
    return environment;
}

std::string_view licenceText() {
    return "The sources are under the BSD 2-Clause licence. A program of this build is under the "
           "GNU "
           "General Public License, version 3 or later: it is linked with FFTW (GPL, version 2 or "
           "later) and with Highway and OpenSSL (Apache-2.0, which version 2 does not admit). "
           "There is "
           "no warranty, to the extent that the law permits.";
}

} // namespace flcc::job
