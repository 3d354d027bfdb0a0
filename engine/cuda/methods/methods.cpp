#include "engine/cuda/methods/methods.h"

#include <array>
#include <utility>

#include "engine/cuda/run/device_method.h"

namespace flcc::cuda {

namespace {

constexpr std::array<MakeMethod, 3> kTable{directMethod, tiledMethod, fourierMethod};

} // namespace

const std::vector<std::string>& methodNames() {
    static const std::vector<std::string> names = [] {
        constexpr std::int32_t kNobody = -1; // no such device: only names are asked for
        std::vector<std::string> all;
        for (const MakeMethod make : kTable) {
            all.emplace_back(make(Engine::ofProcess(), kNobody, {})->name());
        }
        return all;
    }();
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
                for (const MakeMethod make : kTable) {
                    made.push_back(make(engine, device.number, {}));
                }
            }
        }
        if (usable.size() > 1) {
            for (const MakeMethod make : kTable) {
                std::unique_ptr<method::Method> joint = jointMethod(engine, make, usable);
                if (!joint->traits().wholeScene) { // devices cannot share one tile
                    made.push_back(std::move(joint));
                }
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
