#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/device_pixels.h"
#include "engine/cuda/device_scene.h"
#include "engine/cuda/merger.h"
#include "engine/cuda/part_queue.h"
#include "engine/cuda/pipeline.h"
#include "engine/cuda/reduction.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"

namespace flcc::cuda {

inline constexpr double kUnitSingle = 0x1p-24;
inline constexpr double kUnitDouble = 0x1p-53;

/// True when the scene of a problem as it is posed stays whole on the device.
[[nodiscard]] inline bool isHeld(const method::Problem& submitted) {
    return submitted.onDevice.runs > 1;
}
/// Bytes of the device that it takes then; else 0.
[[nodiscard]] std::int64_t heldBytes(const method::Problem& submitted);

/// Bytes of the device in a PartSlot for a part of extents `part`.
[[nodiscard]] std::int64_t partBytes(const method::Problem& problem, const base::Extents& part);
/// Pinned ones.
[[nodiscard]] std::int64_t pinnedBytes(const method::Problem& problem, const base::Extents& part);

/// Parts that each device has under way at once when a map is done in parts of extents `part`:
/// as many as pay, or fewer where `asked`, of a Candidate, says so.
[[nodiscard]] std::int64_t partsInFlight(const method::Problem& problem, const base::Extents& part,
                                         const DeviceFacts& device, int asked = 0);

/// CandidateOnDevice::inFlight of such a run: the most with which `bytes(inFlight)` are within the
/// limit.
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

/// A problem as one template of its bank poses it, whose map is needed.
[[nodiscard]] method::Problem oneOf(const method::Problem& problem);

/// What the host needs for a run in such parts, the map with it: the map of one template of a bank
/// where each is `posed` alone, the templates, and what waits for copies.
[[nodiscard]] std::int64_t hostBytes(const method::Problem& problem,
                                     const method::Problem& submitted, const base::Extents& part,
                                     std::int64_t inFlight);
/// Bytes of the device for the scores of a template of a bank in such a part; else 0.
[[nodiscard]] std::int64_t scoreBytes(const method::Problem& submitted, const base::Extents& part);

/// What the parts of a run move, and how long that takes by built-in values.
struct PartTraffic {
    double parts = 0;
    double sceneBytes = 0;
    double mapBytes = 0;
    double launches = 0;
    double reducedVoxels = 0; ///< of maps that stay on the device
    double mergedVoxels = 0;  ///< of all templates of a bank
    bool held = false;        ///< the scene stays; `sceneBytes` come once, if at all

    /// `count` parts of extents `part` of a problem as it is posed.
    void add(const method::Problem& submitted, const base::Extents& part, double count);
    /// The scene comes whole, unless the device has it, where it stays.
    void hold(const method::Problem& submitted, const DeviceFacts& device,
              const method::Limits& limits);
    /// Of `rounds` such runs one after the other, with kernels that take `kernelNs` in each.
    [[nodiscard]] method::DeviceTimes times(int rounds, double kernelNs,
                                            const DeviceFacts& device) const;
};

/// Milliseconds of a run in `parts` parts (METHODS 4.3): of host, copies and kernels that which
/// takes longest, and of the others the time of one part. One after the other where no more than
/// one part is in flight.
[[nodiscard]] double overlappedMs(const method::DeviceTimes& times, double parts,
                                  std::int64_t inFlight);

/// Refuses what needs more memory than there is, or is free on a device of `deviceBytes`; empty
/// when it fits.
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
    /// Uploads and kernels that belong to the templates, in `pipe.compute`.
    std::function<void()> prepare;
    /// Starts the kernels of a part for a template in `pipe.compute`; those of the first one leave
    /// what the others share.
    std::function<void(const PartLaunch&, std::size_t)> start;
    /// Templates in the order in which they are done, the first one first; theirs where it is
    /// empty.
    std::vector<std::size_t> order{};

    /// The template that is done `turn`-th.
    [[nodiscard]] std::size_t at(std::size_t turn) const {
        return order.empty() ? turn : order[turn];
    }
};

/// Of each template of a bank the first one that has its support.
[[nodiscard]] std::vector<std::size_t> firstOfSupport(const Templates& templates);
/// By what firstOfSupport() says: templates in an order in which those of one support follow each
/// other.
[[nodiscard]] std::vector<std::size_t> bySupport(const std::vector<std::size_t>& first);

/// A prepared template that somebody else keeps.
[[nodiscard]] inline std::shared_ptr<const method::Prepared>
borrowed(const method::Prepared& prepared) {
    return {std::shared_ptr<void>(), &prepared};
}

/// What a run is about, the same for all of its devices.
struct RunInput {
    const method::Problem& problem;
    const method::Candidate& candidate;
    const method::PreparedTemplates& prepared; ///< more than one are a bank
    const method::MaskedView& scene;
    const method::Execution& execution;
    method::BankView map; ///< without voxels where `reduced` is given
    const ReducedRun* reduced = nullptr;
    DeviceScene* held = nullptr; ///< where the scene stays on the device
};

/// Where a part lies on the host; nowhere where its maxima alone came back.
[[nodiscard]] method::BankView viewOf(const RunInput& input, const base::Box& box);

/// Leaves a part of the map of a run as it was before.
void clearPart(const RunInput& input, const base::Box& box);

/// What a score in double loses where the map keeps floats alone; of one in float it is part of the
/// bound.
[[nodiscard]] inline double storedError(const RunInput& input) {
    const bool exact =
        input.reduced != nullptr ? isDouble(input.problem) : input.map.map.exact.data() != nullptr;
    return exact ? 0.0 : kUnitSingle;
}

/// The share of a device in a run: takes parts of the map from a queue; upload, kernels, download,
/// and then canonical values of the host's pixels for every voxel that breaks the promise. All
/// templates of a bank are done with a part while it is on the device (Merger). Several parts are
/// under way at once, each in a slot of its own; kernels of different parts run one after the
/// other, so that what a method keeps on the device may serve them all. A part reaches the map when
/// it is done. Stopped, or when an error ends it, nothing is under way any more, and the queue has
/// back what is not in the map.
class MapRun {
  public:
    MapRun(const RunInput& input, Templates templates, PartQueue& parts)
        : m_input(input), m_problem(input.problem), m_templates(std::move(templates)),
          m_scene(input.scene), m_execution(input.execution), m_held(input.held),
          m_stored(storedError(input)), m_parts(parts) {
        if (m_templates.size() > 1) {
            m_merger.emplace(m_problem, m_templates, m_scene, m_stored);
        }
        if (input.reduced != nullptr) {
            m_reducer.emplace(m_problem, m_templates, m_scene, *input.reduced);
        }
    }
    MapRun(const MapRun&) = delete;
    MapRun& operator=(const MapRun&) = delete;

    /// `what` says what the kernels of the lane are. Of the outcome times alone.
    [[nodiscard]] method::Outcome operator()(const std::string& what, const Lane& lane);

  private:
    void share(const std::string& what, const Lane& lane);
    void send(PartSlot& slot, const Lane& lane);
    [[nodiscard]] std::vector<PluginCopy> stage(PartSlot& slot, PartLaunch& launch) const;
    [[nodiscard]] std::vector<PluginCopy> stageHeld(PartSlot& slot, PartLaunch& launch) const;
    void packBox(const base::Box& box, std::byte* to) const;
    void receive(PartSlot& slot, const std::string& what, const Lane& lane);
    [[nodiscard]] bool repairEach(std::int64_t count,
                                  const std::function<void(std::int64_t)>& repairOne) const;
    template <class Copy> void forRows(const base::Extents& extents, Copy&& copy) const;
    template <class T> void pack(const base::View<const T>& view, std::byte* to) const;
    template <class T> void unpack(const T* from, const base::View<T>& view) const;
    bool finish(const PartSlot& slot);
    void unpackAll(PartSlot& slot);
    [[nodiscard]] BlockRepair repair(const base::Box& box, const method::CanonicalTemplate& templ,
                                     const method::MapView& part, const base::Index& corner) const;
    [[nodiscard]] bool repairs(const method::CanonicalTemplate& templ) const;

    /// Scores go into `buffers`, a slot or those of a template of a bank.
    template <class Buffers> void scoreIn(Buffers& buffers, PartLaunch& launch) const {
        const std::int64_t voxels = base::voxelCount(launch.map);
        launch.value = buffers.value.room(voxels);
        launch.exact = isDouble(m_problem) ? buffers.exact.room(voxels) : nullptr;
        launch.status = buffers.status.room(voxels);
    }

    // Of banks (map_bank.cpp):
    void startAll(PartSlot& slot, const Lane& lane);
    bool finishBank(PartSlot& slot, const std::string& what, const Lane& lane);
    bool settle(PartSlot& slot, std::vector<BlockRepair>& repaired, Settled& settled);
    bool oneByOne(PartSlot& slot, const std::string& what, const Lane& lane,
                  std::vector<BlockRepair>& repaired, Settled& settled);

    const RunInput& m_input;
    const method::Problem& m_problem;
    Templates m_templates;
    const method::MaskedView& m_scene;
    const method::Execution& m_execution;
    DeviceScene* m_held;
    double m_stored;
    PartQueue& m_parts;
    std::optional<Merger> m_merger;   ///< of a bank
    std::optional<Reducer> m_reducer; ///< where the map stays on the device
    std::deque<PartSlot*> m_underWay; ///< in the order in which they were sent
    method::DeviceTimes m_times;
    double m_repairMs = 0;
};

} // namespace flcc::cuda
