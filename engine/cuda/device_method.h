#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cuda/engine.h"
#include "engine/cuda/map_run.h"
#include "engine/method/method_on_device.h"

namespace flcc::cuda {

/// A method that runs on one device, alone or as one of several that share a map.
class DeviceMethod : public method::MethodOnDevice {
  public:
    /// On device `number` of an engine, which must live as long. `together`: the devices that share
    /// a map, this one among them; parts of the map are then those of the smallest of them.
    DeviceMethod(Engine& engine, std::int32_t number,
                 const std::vector<std::int32_t>& together = {});

    [[nodiscard]] std::string_view device() const override { return m_id; }
    [[nodiscard]] std::int64_t freeMemory() const override;
    void warmUp(const method::Problem&, const method::Candidate&) const override {}
    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const method::Problem& problem,
                  const method::Candidate& candidate) const override;

    method::Outcome execute(const method::Problem& problem, const method::Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override;

    /// All templates are done with a part of the scene while it is on the device. Where that has no
    /// room for what they need together, or turns out to have none before a part is done, one
    /// follows the other, and each brings the scene again.
    method::Outcome executeBank(const method::Problem& problem, const method::Candidate& candidate,
                                const method::PreparedTemplates& prepared,
                                const method::MaskedView& scene, method::Workspace& workspace,
                                const method::Execution& execution,
                                const method::BankView& to) const override;

    [[nodiscard]] bool reduces(const method::Problem& problem) const override {
        return isReduced(problem);
    }
    method::Outcome reduce(const method::Problem& problem, const method::Candidate& candidate,
                           const method::PreparedTemplates& prepared,
                           const method::MaskedView& scene, method::Workspace& workspace,
                           const method::Execution& execution,
                           const method::Reduction& wanted) const override;

    [[nodiscard]] Engine& engine() const { return m_engine; }
    [[nodiscard]] const DeviceFacts& facts() const { return m_facts; }
    /// Of a device that has no more memory than `candidate` was planned for.
    [[nodiscard]] DeviceFacts factsFor(const method::Candidate& candidate) const;

    /// What runs at once: `problem`, without the scene whole on the device where that has no room
    /// for it, or what one template of its bank poses where it has none for all of them.
    [[nodiscard]] method::Problem submitted(const method::Problem& problem,
                                            const method::Candidate& candidate) const;

    /// Placements of a part of the map of a problem as it is posed.
    [[nodiscard]] virtual base::Extents partOf(const method::Problem& submitted,
                                               const method::Candidate& candidate) const = 0;
    /// Bytes of the device that it needs then.
    [[nodiscard]] virtual std::int64_t needOf(const method::Problem& submitted,
                                              const method::Candidate& candidate) const = 0;
    /// Does parts of the map until the queue has none. Of the outcome times alone. `workspace` was
    /// made by this method. **Errors**: as execute(); the queue has back what is not in the map.
    [[nodiscard]] method::Outcome run(const RunInput& input, method::Workspace& workspace,
                                      PartQueue& parts) const;

  protected:
    /// Buffers, plans and streams of a run.
    [[nodiscard]] virtual std::unique_ptr<method::Workspace> makeBuffers() const = 0;
    /// run(), with what makeBuffers() made.
    [[nodiscard]] virtual method::Outcome runWith(const RunInput& input, method::Workspace& buffers,
                                                  PartQueue& parts) const = 0;

  private:
    [[nodiscard]] method::Outcome runAlone(const RunInput& input,
                                           method::Workspace& workspace) const;
    [[nodiscard]] method::Problem submitted(const method::Problem& problem,
                                            const method::Candidate& candidate,
                                            const method::Execution& execution) const;
    [[nodiscard]] std::optional<method::Outcome> runSubmitted(const method::Problem& problem,
                                                              const RunInput& input,
                                                              method::Workspace& workspace,
                                                              std::string& failure) const;

    Engine& m_engine;
    DeviceFacts m_facts;
    std::string m_id;
};

/// The outcome of a run whose parts were done, or stopped.
void settle(method::Outcome& outcome, const method::Problem& problem, const PartQueue& parts);

/// Does reduce() of a bank with a map on the host, which `run` fills: all of it comes back.
[[nodiscard]] method::Outcome
reduceOnHost(const method::Problem& problem,
             const std::function<method::Outcome(const method::BankView&)>& run);

/// Does reduce(): `run` is called with where the map goes, of which parts have extents `part`.
template <class Run>
[[nodiscard]] method::Outcome reduceTo(const method::Problem& problem, const base::Extents& part,
                                       const method::Reduction& wanted, Run&& run) {
    const auto to = std::make_shared<method::ReducedMap>(method::mapExtents(problem), part);
    method::Outcome outcome = run(ReducedRun{wanted, *to});
    if (!outcome.cancelled) {
        outcome.onDevice.reduced = to;
    }
    return outcome;
}

} // namespace flcc::cuda
