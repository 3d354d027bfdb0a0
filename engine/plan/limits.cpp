#include "engine/plan/calibration.h"

#include <algorithm>

#include "engine/cuda/plugin/engine.h"
#include "engine/cuda/run/limits.h"
#include "engine/plan/planner.h"

namespace flcc::plan {

namespace {

/// The number of the GPU named `device`; empty if it is no single GPU or cannot be used.
std::optional<std::int32_t> numberOf(std::string_view device) {
    const cuda::Engine& engine = cuda::Engine::ofProcess();
    const auto found =
        std::find_if(engine.devices().begin(), engine.devices().end(),
                     [device](const cuda::DeviceFacts& facts) { return facts.id() == device; });
    return found == engine.devices().end() || !engine.reasonAgainst(found->number).empty()
               ? std::nullopt
               : std::optional(found->number);
}

} // namespace

std::optional<DeviceLimits> measureDeviceLimits(std::string_view device) {
    const std::optional<std::int32_t> number = numberOf(device);
    if (!number) {
        return std::nullopt;
    }
    const cuda::DeviceLimits limits = cuda::measureLimits(cuda::Engine::ofProcess(), *number);
    return DeviceLimits{limits.multiplyAdds, limits.bytes};
}

std::optional<double> measureTransforms(const method::Problem& problem,
                                        const method::Candidate& candidate) {
    const std::optional<std::int32_t> number = numberOf(candidate.device);
    if (!number || traitsOf(candidate).byDefinition) {
        return std::nullopt;
    }
    return cuda::measureTransforms(cuda::Engine::ofProcess(), *number, problem, candidate.tile);
}

} // namespace flcc::plan
