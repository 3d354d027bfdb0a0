#include "engine/cuda/device_method.h"

#include <algorithm>

namespace flcc::cuda {

DeviceMethod::DeviceMethod(Engine& engine, std::int32_t number,
                           const std::vector<std::int32_t>& together)
    : m_engine(engine) {
    m_facts.number = number;
    const auto& all = engine.devices();
    const auto own = std::find_if(all.begin(), all.end(), [number](const DeviceFacts& device) {
        return device.number == number;
    });
    if (own != all.end()) {
        m_facts = *own;
    }
    m_id = m_facts.id();
    m_facts.together = std::max<std::int32_t>(1, static_cast<std::int32_t>(together.size()));
    for (const DeviceFacts& device : all) {
        if (std::find(together.begin(), together.end(), device.number) != together.end()) {
            PluginDevice& about = m_facts.about;
            about.memoryBytes = std::min(about.memoryBytes, device.about.memoryBytes);
            about.copyEngines = std::min(about.copyEngines, device.about.copyEngines);
        }
    }
}

method::Outcome DeviceMethod::execute(const method::Problem& problem,
                                      const method::Candidate& candidate,
                                      const method::Prepared& prepared,
                                      const method::MaskedView& scene, method::Workspace& workspace,
                                      const method::Execution& execution,
                                      const method::MapView& map) const {
    const method::MaskedView seen = withoutIdleMask(problem, scene);
    return runAlone({problem, candidate, prepared, seen, execution, map}, workspace);
}

method::Outcome DeviceMethod::reduce(const method::Problem& problem,
                                     const method::Candidate& candidate,
                                     const method::Prepared& prepared,
                                     const method::MaskedView& scene, method::Workspace& workspace,
                                     const method::Execution& execution,
                                     const method::Reduction& wanted) const {
    if (!reduces(problem)) {
        return Method::reduce(problem, candidate, prepared, scene, workspace, execution, wanted);
    }
    const method::MaskedView seen = withoutIdleMask(problem, scene);
    const method::MapView none{};
    return reduceTo(problem, partOf(problem, candidate), wanted, [&](const ReducedRun& to) {
        return runAlone({problem, candidate, prepared, seen, execution, none, &to}, workspace);
    });
}

method::Outcome DeviceMethod::runAlone(const RunInput& input, method::Workspace& workspace) const {
    PartQueue parts(method::mapExtents(input.problem), partOf(input.problem, input.candidate),
                    input.execution);
    method::Outcome outcome = run(input, workspace, parts);
    settle(outcome, input.problem, parts);
    return outcome;
}

void settle(method::Outcome& outcome, const method::Problem& problem, const PartQueue& parts) {
    outcome.cancelled = !parts.isDone();
    outcome.facts = parts.facts();
    outcome.facts.recomputed = isTwofold(problem) ? 0 : outcome.facts.recomputed;
}

} // namespace flcc::cuda
