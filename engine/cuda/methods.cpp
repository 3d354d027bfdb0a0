#include "engine/cuda/methods.h"

#include "engine/cuda/device_method.h"

namespace flcc::cuda {

const std::vector<std::string>& methodNames() {
    static const std::vector<std::string> names{"direct", "tiled", "fourier"};
    return names;
}

const std::vector<const method::Method*>& methods() {
    static const std::vector<std::unique_ptr<method::Method>> owned = [] {
        std::vector<std::unique_ptr<method::Method>> made;
        Engine& engine = Engine::ofProcess();
        std::vector<std::int32_t> usable;
        for (const DeviceFacts& device : engine.devices()) {
            if (device.reason.empty()) {
                usable.push_back(device.number);
                made.push_back(directMethod(engine, device.number));
                made.push_back(tiledMethod(engine, device.number));
                made.push_back(fourierMethod(engine, device.number));
            }
        }
        if (usable.size() > 1) { // one tile cannot be shared, so no `fourier`
            made.push_back(jointMethod(engine, directMethod, usable));
            made.push_back(jointMethod(engine, tiledMethod, usable));
        }
        return made;
    }();
    static const std::vector<const method::Method*> table = [] {
        std::vector<const method::Method*> methods;
        for (const auto& method : owned) {
            methods.push_back(method.get());
        }
        return methods;
    }();
    return table;
}

} // namespace flcc::cuda
