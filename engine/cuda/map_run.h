#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/part_queue.h"
#include "engine/cuda/pipeline.h"
#include "engine/cuda/reduction.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"

namespace flcc::cuda {

inline constexpr double kUnitSingle = 0x1p-24;
inline constexpr double kUnitDouble = 0x1p-53;

[[nodiscard]] inline bool isTwofold(const method::Problem& problem) {
    return problem.precision == method::Precision::Double;
}

/// Bytes of the device in a PartSlot for a part of extents `part`.
[[nodiscard]] std::int64_t partBytes(const method::Problem& problem, const base::Extents& part);
/// Pinned ones.
[[nodiscard]] std::int64_t pinnedBytes(const method::Problem& problem, const base::Extents& part);

/// Parts that each device has under way at once when a map is done in parts of extents `part`:
/// as many as pay, or fewer where `asked`, of a Candidate, says so.
[[nodiscard]] std::int64_t partsInFlight(const method::Problem& problem, const base::Extents& part,
                                         const DeviceFacts& device, int asked = 0);

/// Candidate::inFlight of such a run: the most with which `bytes(inFlight)` are within the limit.
template <class Bytes>
[[nodiscard]] int inFlightWithin(std::int64_t limit, std::int64_t most, Bytes&& bytes) {
    std::int64_t inFlight = most;
    while (inFlight > 1 && bytes(inFlight) > limit) {
        --inFlight;
    }
    return inFlight == most ? 0 : static_cast<int>(inFlight);
}

/// Whether a map has enough such parts for devices that share it; always for one alone.
[[nodiscard]] bool isShared(const base::Extents& map, const base::Extents& part,
                            const DeviceFacts& device);

/// What the host keeps beside the map of a run in such parts: the map of one template of a bank,
/// the templates, what waits for copies.
[[nodiscard]] std::int64_t hostBytes(const method::Problem& problem, const base::Extents& part,
                                     std::int64_t inFlight);

/// What the parts of a run move, and how long that takes by built-in values.
struct PartTraffic {
    double parts = 0;
    double sceneBytes = 0;
    double mapBytes = 0;
    double reducedVoxels = 0; ///< of maps that stay on the device

    /// `count` parts of extents `part`.
    void add(const method::Problem& problem, const base::Extents& part, double count);
    /// Of as many templates, with kernels that take `kernelNs` for each.
    [[nodiscard]] method::DeviceTimes times(double templates, double kernelNs,
                                            const DeviceFacts& device) const;
};

/// Milliseconds of a run in `parts` parts (METHODS 4.3): of host, copies and kernels that which
/// takes longest, and of the others the time of one part. One after the other where no more than
/// one part is in flight.
[[nodiscard]] double overlappedMs(const method::DeviceTimes& times, double parts,
                                  std::int64_t inFlight);

/// Refuses what needs more memory than there is; empty when it fits.
[[nodiscard]] std::string refusalOf(const method::Prediction& prediction,
                                    const method::Limits& limits, std::int64_t deviceBytes);

/// The scene without a mask of ones. **Errors**: Problem for a mask that the problem does not name.
[[nodiscard]] method::MaskedView withoutIdleMask(const method::Problem& problem,
                                                 const method::MaskedView& scene);
/// **Errors**: Problem for a mask.
void requireUnmasked(const method::CanonicalTemplate& templ);

/// A device in a run: its streams, and what a method does there. All calls may throw.
struct Lane {
    Pipeline& pipe;
    std::int64_t inFlight = 1; ///< parts at once
    /// Uploads and kernels that belong to the template, in `pipe.compute`.
    std::function<void()> prepare;
    /// Starts the kernels of a part in `pipe.compute`.
    std::function<void(const PartLaunch&)> start;
};

/// What a run is about, the same for all of its devices.
struct RunInput {
    const method::Problem& problem;
    const method::Candidate& candidate;
    const method::Prepared& prepared;
    const method::MaskedView& scene;
    const method::Execution& execution;
    const method::MapView& map; ///< without voxels where `reduced` is given
    const ReducedRun* reduced = nullptr;
};

/// What a score in double loses where the map keeps floats alone; of one in float it is part of the
/// bound.
[[nodiscard]] inline double storedError(const RunInput& input) {
    const bool exact =
        input.reduced != nullptr ? isTwofold(input.problem) : input.map.exact.data() != nullptr;
    return exact ? 0.0 : kUnitSingle;
}

/// The share of a device in a run: takes parts of the map from a queue; upload, kernels, download,
/// and then canonical values of the host's pixels for what breaks the promise. Several parts are
/// under way at once, each in a slot of its own; kernels of different parts run one after the
/// other, so that what a method keeps on the device may serve them all. A part reaches the map when
/// it is done. Stopped, or when an error ends it, nothing is under way any more, and the queue has
/// back what is not in the map.
class MapRun {
  public:
    MapRun(const RunInput& input, const method::CanonicalTemplate& templ, PartQueue& parts)
        : m_problem(input.problem), m_templ(templ), m_scene(input.scene),
          m_execution(input.execution), m_map(input.map), m_stored(storedError(input)),
          m_parts(parts) {
        if (input.reduced != nullptr) {
            m_reducer.emplace(m_problem, m_templ, m_scene, *input.reduced);
        }
    }

    /// `what` says what the kernels of the lane are. Of the outcome times alone.
    [[nodiscard]] method::Outcome operator()(const std::string& what, const Lane& lane);

  private:
    void share(const std::string& what, const Lane& lane);
    void send(PartSlot& slot, const Lane& lane);
    void receive(PartSlot& slot, const std::string& what, const Lane& lane);
    template <class Copy> void forRows(const base::Extents& extents, Copy&& copy) const;
    template <class T> void pack(const base::View<const T>& view, std::byte* to) const;
    template <class T> void unpack(const T* from, const base::View<T>& view) const;
    bool finish(const PartSlot& slot);
    void unpackAll(PartSlot& slot);
    [[nodiscard]] method::MapView viewOf(const PartSlot& slot) const;
    [[nodiscard]] BlockRepair repair(const base::Box& box, const method::MapView& part,
                                     const base::Index& corner) const;

    const method::Problem& m_problem;
    const method::CanonicalTemplate& m_templ;
    const method::MaskedView& m_scene;
    const method::Execution& m_execution;
    const method::MapView& m_map;
    double m_stored;
    PartQueue& m_parts;
    std::optional<Reducer> m_reducer; ///< where the map stays on the device
    std::deque<PartSlot*> m_underWay; ///< in the order in which they were sent
    method::DeviceTimes m_times;
    double m_repairMs = 0;
};

} // namespace flcc::cuda
