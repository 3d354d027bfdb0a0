#pragma once

#include <cstdint>

#include "engine/method/method.h"
#include "engine/method/reduced_map.h"

namespace flcc::method {

/// A method on a GPU: a device with its own memory.
class MethodOnDevice : public Method {
  public:
    [[nodiscard]] const MethodOnDevice* onDevice() const final { return this; }

    /// Free bytes of the device, for LimitsOnDevice::memory. They are rounded down to a sixteenth
    /// of the device's memory, so that other programs seldom change a plan. **Cost**: a second and
    /// some hundred megabytes of the device, if nothing has used it before.
    [[nodiscard]] virtual std::int64_t freeMemory() const = 0;

    /// True when reduce() can solve the problem, which must not need its whole map.
    [[nodiscard]] virtual bool reduces(const Problem& problem) const = 0;

    /// As execute() or, for several templates, executeBank(), but without copying the map from the
    /// device: Outcome::onDevice.reduced holds the voxels and sums that peaks, statistics and
    /// `wanted` need. Values, statuses and facts are those that the other functions give.
    /// **Errors**: as those functions; Internal if reduces() is false.
    virtual Outcome reduce(const Problem& problem, const Candidate& candidate,
                           const PreparedTemplates& prepared, const MaskedView& scene,
                           Workspace& workspace, const Execution& execution,
                           const Reduction& wanted) const = 0;

  protected:
    /// **Errors**: Internal if reduces() is false.
    void requireReduces(const Problem& problem) const;
};

/// The value for LimitsOnDevice::memory: freeMemory(), or no limit for a method on the processor.
[[nodiscard]] inline std::int64_t freeMemoryOf(const Method& method) {
    const MethodOnDevice* const own = method.onDevice();
    return own != nullptr ? own->freeMemory() : INT64_MAX;
}

/// The method, if it can solve the problem without copying the whole map back; else null.
[[nodiscard]] inline const MethodOnDevice* reducerOf(const Method& method, const Problem& problem) {
    const MethodOnDevice* const own = method.onDevice();
    return own != nullptr && own->reduces(problem) ? own : nullptr;
}

} // namespace flcc::method
