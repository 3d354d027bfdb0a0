#pragma once

#include <cstdint>

#include "engine/method/method.h"
#include "engine/method/reduced_map.h"

namespace flcc::method {

/// A method on a device with a memory of its own.
class MethodOnDevice : public Method {
  public:
    [[nodiscard]] const MethodOnDevice* onDevice() const final { return this; }

    /// Bytes of its device for LimitsOnDevice::memory: those that are free now, rounded down so far
    /// that what others take and give back seldom changes a plan. Wakes a device that sleeps.
    [[nodiscard]] virtual std::int64_t freeMemory() const = 0;

    /// True when reduce() does the problem, whose map is not asked for.
    [[nodiscard]] virtual bool reduces(const Problem& problem) const = 0;

    /// As execute(), of several templates as executeBank(), without a map: brings back what the
    /// peaks, the statistics and `wanted` need, with the values and statuses that those would give,
    /// and the same facts. **Errors**: as theirs; Internal where reduces() is false.
    virtual Outcome reduce(const Problem& problem, const Candidate& candidate,
                           const PreparedTemplates& prepared, const MaskedView& scene,
                           Workspace& workspace, const Execution& execution,
                           const Reduction& wanted) const = 0;

  protected:
    /// **Errors**: Internal where reduces() is false.
    void requireReduces(const Problem& problem) const;
};

/// Bytes for LimitsOnDevice::memory; no limit for a method on the processor.
[[nodiscard]] inline std::int64_t freeMemoryOf(const Method& method) {
    const MethodOnDevice* const own = method.onDevice();
    return own != nullptr ? own->freeMemory() : INT64_MAX;
}

/// The method, if it does the problem without bringing back the map; else null.
[[nodiscard]] inline const MethodOnDevice* reducerOf(const Method& method, const Problem& problem) {
    const MethodOnDevice* const own = method.onDevice();
    return own != nullptr && own->reduces(problem) ? own : nullptr;
}

} // namespace flcc::method
