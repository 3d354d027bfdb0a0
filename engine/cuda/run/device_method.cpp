#include "engine/cuda/run/device_method.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/method/bank.h"

namespace flcc::cuda {

namespace {

/// The buffers of a run behind a pointer, so that they can be freed and made again after an
/// allocation failed.
struct HeldBuffers final : public method::Workspace {
    std::unique_ptr<method::Workspace> own;
};

/// Reports why each template uploaded the scene itself.
void addAgain(const std::string& failure, method::Outcome& outcome) {
    if (!failure.empty()) {
        outcome.onDevice.failures.push_back(failure +
                                            "; each template uploaded the scene again instead");
    }
}

} // namespace

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

std::int64_t DeviceMethod::freeMemory() const {
    constexpr std::int64_t kSteps = 16;
    const std::int64_t all = m_facts.about.memoryBytes;
    const std::int64_t free = m_engine.freeMemory(m_facts.number);
    const std::int64_t step = std::max<std::int64_t>(1, all / kSteps);
    return free <= 0 || free >= all ? all : free / step * step; // 0: not reported
}

DeviceFacts DeviceMethod::factsFor(const method::Candidate& candidate) const {
    DeviceFacts facts = m_facts;
    facts.about.memoryBytes = std::min(facts.about.memoryBytes, candidate.onDevice.memory);
    return facts;
}

std::unique_ptr<method::Workspace> DeviceMethod::makeWorkspace(const method::Problem&,
                                                               const method::Candidate&) const {
    auto held = std::make_unique<HeldBuffers>();
    held->own = makeBuffers();
    return held;
}

method::Outcome DeviceMethod::run(const RunInput& input, method::Workspace& workspace,
                                  PartQueue& parts) const {
    auto& buffers = dynamic_cast<HeldBuffers&>(workspace);
    if (!buffers.own) {
        buffers.own = makeBuffers();
    }
    return runWith(input, *buffers.own, parts);
}

method::Problem DeviceMethod::submitted(const method::Problem& problem,
                                        const method::Candidate& candidate) const {
    const auto fits = [&](const method::Problem& one) {
        return needOf(one, candidate) <=
               std::min(m_facts.about.memoryBytes, candidate.onDevice.memory);
    };
    const auto held = [&](method::Problem one) {
        one.onDevice.runs =
            m_facts.together == 1 && isHeld(one) && fits(one) ? one.onDevice.runs : 1;
        return one;
    };
    method::Problem all = held(problem);
    return all.templates == 1 || isHeld(all) || fits(all) ? all : held(oneOf(problem));
}

/// As submitted() above. The scene stays on the device only if the execution has a SceneHold that
/// no device has refused.
method::Problem DeviceMethod::submitted(const method::Problem& problem,
                                        const method::Candidate& candidate,
                                        const method::Execution& execution) const {
    method::Problem asked = problem;
    if (execution.onDevice.hold == nullptr || execution.onDevice.hold->refused) {
        asked.onDevice.runs = 1;
    }
    return submitted(asked, candidate);
}

method::Outcome DeviceMethod::execute(const method::Problem& problem,
                                      const method::Candidate& candidate,
                                      const method::Prepared& prepared,
                                      const method::MaskedView& scene, method::Workspace& workspace,
                                      const method::Execution& execution,
                                      const method::MapView& map) const {
    const method::MaskedView seen = withoutIdleMask(problem, scene);
    const method::PreparedTemplates alone{borrowed(prepared)};
    std::string failure;
    return *runSubmitted(oneOf(problem), {problem, candidate, alone, seen, execution, {map, {}}},
                         workspace, failure);
}

method::Outcome
DeviceMethod::executeBank(const method::Problem& problem, const method::Candidate& candidate,
                          const method::PreparedTemplates& prepared,
                          const method::MaskedView& scene, method::Workspace& workspace,
                          const method::Execution& execution, const method::BankView& to) const {
    method::requireTemplates(problem, prepared.size());
    const method::MaskedView seen = withoutIdleMask(problem, scene);
    std::string failure;
    if (problem.templates > 1) {
        if (auto outcome = runSubmitted(
                problem, {problem, candidate, prepared, seen, execution, to}, workspace, failure)) {
            return *std::move(outcome);
        }
    }
    method::Outcome outcome =
        Method::executeBank(problem, candidate, prepared, scene, workspace, execution, to);
    addAgain(failure, outcome);
    return outcome;
}

method::Outcome DeviceMethod::reduce(const method::Problem& problem,
                                     const method::Candidate& candidate,
                                     const method::PreparedTemplates& prepared,
                                     const method::MaskedView& scene, method::Workspace& workspace,
                                     const method::Execution& execution,
                                     const method::Reduction& wanted) const {
    requireReduces(problem);
    method::requireTemplates(problem, prepared.size());
    const method::MaskedView seen = withoutIdleMask(problem, scene);
    std::string failure;
    const base::Extents part = partOf(submitted(problem, candidate, execution), candidate);
    std::optional<method::Outcome> shared;
    method::Outcome outcome = reduceTo(problem, part, wanted, [&](const ReducedRun& to) {
        shared = runSubmitted(problem, {problem, candidate, prepared, seen, execution, {}, &to},
                              workspace, failure);
        return shared.value_or(method::Outcome{});
    });
    if (!shared) {
        outcome = reduceOnHost(problem, [&](const method::BankView& to) {
            return Method::executeBank(problem, candidate, prepared, scene, workspace, execution,
                                       to);
        });
        addAgain(failure, outcome);
    }
    return outcome;
}

/// Runs all templates at once and keeps the scene on the device if memory allows. Returns nothing
/// if the device has too little memory for all templates. `failure` then says which allocations
/// failed; it stays empty if the lack of memory was known beforehand.
std::optional<method::Outcome> DeviceMethod::runSubmitted(const method::Problem& problem,
                                                          const RunInput& input,
                                                          method::Workspace& workspace,
                                                          std::string& failure) const {
    method::SceneHold* const hold = input.execution.onDevice.hold;
    method::Problem own = submitted(problem, input.candidate, input.execution);
    std::vector<std::string> failures;
    while (own.templates == problem.templates) {
        std::int64_t finished = 0;
        const method::Execution execution{input.execution.pool, input.execution.stop,
                                          [&](const base::Box& box) {
                                              ++finished;
                                              if (input.execution.regionFinished) {
                                                  input.execution.regionFinished(box);
                                              }
                                          }};
        try {
            DeviceScene* held = nullptr;
            if (isHeld(own)) {
                held = &DeviceScene::of(*hold, m_engine, m_facts.number, own);
            } else {
                DeviceScene::leave(hold, m_facts.number); // its memory is not planned for
            }
            method::Outcome outcome = runAlone({own, input.candidate, input.prepared, input.scene,
                                                execution, input.map, input.reduced, held},
                                               workspace);
            outcome.onDevice.failures = std::move(failures);
            return outcome;
        } catch (const base::Error& error) {
            DeviceScene::leave(hold, m_facts.number); // slabs may be missing
            const bool retries = finished == 0 && error.code() == base::ErrorCode::Memory;
            if (!retries || (own.templates == 1 && !isHeld(own))) {
                throw;
            }
            auto& buffers = dynamic_cast<HeldBuffers&>(workspace);
            buffers.own.reset(); // frees memory for the new buffers
            buffers.own = makeBuffers();
            if (!isHeld(own)) {
                failures.emplace_back(error.what());
                break;
            }
            hold->refused = true;
            failures.push_back(std::string(error.what()) +
                               "; the scene did not stay on the device");
        }
        own = submitted(problem, input.candidate, input.execution);
    }
    for (const std::string& one : failures) {
        failure += (failure.empty() ? "" : "; ") + one;
    }
    return std::nullopt;
}

method::Outcome DeviceMethod::runAlone(const RunInput& input, method::Workspace& workspace) const {
    PartQueue parts(method::mapExtents(input.problem), partOf(input.problem, input.candidate),
                    input.execution, input.problem.templates);
    method::Outcome outcome = run(input, workspace, parts);
    settle(outcome, input.problem, parts);
    return outcome;
}

method::Outcome reduceOnHost(const method::Problem& problem,
                             const std::function<method::Outcome(const method::BankView&)>& run) {
    const base::Extents extents = method::mapExtents(problem);
    method::MatchMap map(extents, isDouble(problem));
    method::ReducedMap::Part all;
    all.box = {{0, 0, 0}, extents};
    all.whole = true;
    all.index = base::Image<std::int32_t>(extents, -1);
    method::Outcome outcome = run({method::viewOf(map), all.index.view()});
    if (!outcome.cancelled) {
        for (std::int64_t line = 0; line < extents.y * extents.z; ++line) {
            const std::int64_t from = line * extents.x;
            method::addRow(map.value.data() + from, map.status.data() + from, extents.x, all.tally);
        }
        all.value = std::move(map.value);
        all.status = std::move(map.status);
        all.exact = std::move(map.exact);
        const auto reduced = std::make_shared<method::ReducedMap>(extents, extents);
        reduced->partAt({0, 0, 0}) = std::move(all);
        outcome.onDevice.reduced = reduced;
    }
    return outcome;
}

void settle(method::Outcome& outcome, const method::Problem& problem, const PartQueue& parts) {
    outcome.cancelled = !parts.isDone();
    outcome.facts = parts.facts();
    outcome.facts.recomputed = isDouble(problem) ? 0 : outcome.facts.recomputed;
}

} // namespace flcc::cuda
