#include "engine/cuda/methods.h"

namespace flcc::cuda {

const std::vector<std::string>& methodNames() {
    static const std::vector<std::string> names{"direct", "tiled", "fourier"};
    return names;
}

const std::vector<const method::Method*>& methods() {
    static const std::vector<std::unique_ptr<method::Method>> owned = [] {
        std::vector<std::unique_ptr<method::Method>> made;
        Engine& engine = Engine::ofProcess();
        for (const DeviceFacts& device : engine.devices()) {
            if (device.reason.empty()) {
                made.push_back(directMethod(engine, device.number));
                made.push_back(tiledMethod(engine, device.number));
                made.push_back(fourierMethod(engine, device.number));
            }
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
