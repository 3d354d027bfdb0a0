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

} // namespace flcc::job
