#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cuda/plugin/engine.h"
#include "engine/cuda/run/map_run.h"
#include "engine/method/method_on_device.h"

namespace flcc::cuda {

/// A method that runs on one device, alone or as one of several that share a map.
class DeviceMethod : public method::MethodOnDevice {
  public:
    /// The method on device `number` of `engine`, which must outlive it. `together`: numbers of the
    /// devices that share a map, this one included; empty for one device alone. All of them use
    /// parts of the size that suits the device with the least memory.
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

    /// Computes a part of the scene for all templates while the part is on the device. If the
    /// device has too little memory for all templates, by plan or because an allocation fails
    /// before the first part is finished, the templates run one after the other and each uploads
    /// the scene again.
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
    /// The facts of this device, with its memory limited to what `candidate` was planned for.
    [[nodiscard]] DeviceFacts factsFor(const method::Candidate& candidate) const;

    /// The problem that one run submits to the device, so that it fits into the device's memory:
    /// `problem` itself, or without keeping the scene on the device, or for one template of the
    /// bank alone (oneOf()).
    [[nodiscard]] method::Problem submitted(const method::Problem& problem,
                                            const method::Candidate& candidate) const;

    /// Extents, in placements, of a part of the map of a problem that submitted() returned.
    [[nodiscard]] virtual base::Extents partOf(const method::Problem& submitted,
                                               const method::Candidate& candidate) const = 0;
    /// Bytes of device memory that a run of such a problem needs.
    [[nodiscard]] virtual std::int64_t needOf(const method::Problem& submitted,
                                              const method::Candidate& candidate) const = 0;
    /// Computes parts of the map until the queue is empty or a stop is requested. Only the times of
    /// the outcome are set. `workspace` comes from makeWorkspace() of this method. **Errors**: as
    /// execute(); the parts that are not in the map are back in the queue.
    [[nodiscard]] method::Outcome run(const RunInput& input, method::Workspace& workspace,
                                      PartQueue& parts) const;

  protected:
    /// Makes the buffers, plans and streams of a run.
    [[nodiscard]] virtual std::unique_ptr<method::Workspace> makeBuffers() const = 0;
    /// Does run() with `buffers` from makeBuffers().
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

/// Sets the facts of `outcome`, and whether it is cancelled, from the finished parts.
void settle(method::Outcome& outcome, const method::Problem& problem, const PartQueue& parts);

/// Does reduce() for a bank through a whole map on the host, which `run` fills. For banks whose
/// templates do not fit on the device together.
[[nodiscard]] method::Outcome
reduceOnHost(const method::Problem& problem,
             const std::function<method::Outcome(const method::BankView&)>& run);

/// Does reduce(): calls `run` with a ReducedRun that collects the map in parts of extents `part`.
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
