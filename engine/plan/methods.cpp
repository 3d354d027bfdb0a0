#include "engine/cpu/methods/methods.h"

#include "engine/base/error.h"
#include "engine/cuda/methods/methods.h"
#include "engine/plan/planner.h"

namespace flcc::plan {

const std::vector<const method::Method*>& methods() {
    static const std::vector<const method::Method*> table = [] {
        std::vector<const method::Method*> all{&cpu::directMethod(),    &cpu::tiledMethod(),
                                               &cpu::fourierMethod(),   &cpu::tiledTemplateMethod(),
                                               &cpu::separableMethod(), &cpu::difMethod()};
        const auto& gpu = cuda::methods();
        all.insert(all.end(), gpu.begin(), gpu.end());
        return all;
    }();
    return table;
}

const method::Method* methodOf(const method::Candidate& candidate) {
    for (const method::Method* method : methods()) {
        if (method->name() == candidate.method && method->device() == candidate.device) {
            return method;
        }
    }
    return nullptr;
}

method::Traits traitsOf(const method::Candidate& candidate) {
    for (const method::Method* method : methods()) {
        if (method->name() == candidate.method) {
            return method->traits();
        }
    }
    throw base::Error(base::ErrorCode::Internal, "there is no method '" + candidate.method + "'");
}

} // namespace flcc::plan
