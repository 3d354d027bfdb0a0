#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/kernels/device_pixels.h"
#include "engine/cuda/run/device_scene.h"
#include "engine/cuda/run/merger.h"
#include "engine/cuda/run/part_copies.h"
#include "engine/cuda/run/part_plan.h"
#include "engine/cuda/run/part_queue.h"
#include "engine/cuda/run/pipeline.h"
#include "engine/cuda/run/reduction.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// The scene, without its mask if that is all ones. **Errors**: Problem for any other mask if the
/// problem has no scene mask.
[[nodiscard]] method::MaskedView withoutIdleMask(const method::Problem& problem,
                                                 const method::MaskedView& scene);
/// **Errors**: Problem if the template has a mask.
void requireUnmasked(const method::CanonicalTemplate& templ);

/// One device in a run: its streams, and the functions of a method that start work in them. The
/// functions may throw.
struct Lane {
    Pipeline& pipe;
    std::int64_t inFlight = 1; ///< parts in flight
    /// Starts the uploads and kernels that depend only on the templates, in `pipe.compute`.
    std::function<void()> prepare;
    /// Starts the kernels of a part for the template with this index, in `pipe.compute`. The
    /// kernels of the first template leave results that the others share.
    std::function<void(const PartLaunch&, std::size_t)> start;
    /// The indices of the templates in the order of computation, which begins with 0. Empty: the
    /// order of the templates.
    std::vector<std::size_t> order{};

    /// The index of the template that is computed `turn`-th, counted from 0.
    [[nodiscard]] std::size_t at(std::size_t turn) const {
        return order.empty() ? turn : order[turn];
    }
};

/// For each template of a bank, the index of the first template that has the same support.
[[nodiscard]] std::vector<std::size_t> firstOfSupport(const Templates& templates);
/// An order of the templates, for Lane::order, in which templates with the same support follow each
/// other. `first`: from firstOfSupport().
[[nodiscard]] std::vector<std::size_t> bySupport(const std::vector<std::size_t>& first);

/// A pointer to a prepared template that the caller keeps alive.
[[nodiscard]] inline std::shared_ptr<const method::Prepared>
borrowed(const method::Prepared& prepared) {
    return {std::shared_ptr<void>(), &prepared};
}

/// The inputs and outputs of a run, the same for all of its devices.
struct RunInput {
    const method::Problem& problem;
    const method::Candidate& candidate;
    const method::PreparedTemplates& prepared; ///< several for a bank
    const method::MaskedView& scene;
    const method::Execution& execution;
    method::BankView map; ///< without voxels if `reduced` is set
    const ReducedRun* reduced = nullptr;
    DeviceScene* held = nullptr; ///< the scene on the device, if it stays there
};

/// The memory of a part on the host; empty if only the part's maxima came back.
[[nodiscard]] method::BankView viewOf(const RunInput& input, const base::Box& box);

/// Resets a part of the map to its state before the run: 0 and NOT_COMPUTED.
void clearPart(const RunInput& input, const base::Box& box);

/// Error of a score in double that is stored as float: u24, or 0 if the map has scores in double.
/// The bounds of scores computed in float already contain it.
[[nodiscard]] inline double storedError(const RunInput& input) {
    const bool exact =
        input.reduced != nullptr ? isDouble(input.problem) : input.map.map.exact.data() != nullptr;
    return exact ? 0.0 : kUnitSingle;
}

/// The work of one device in a run. It takes parts of the map from a queue. Each part is uploaded,
/// computed and downloaded; then the host replaces every voxel whose bound exceeds the promise by
/// its canonical value. All templates of a bank are computed while a part is on the device
/// (Merger).
///
/// Several parts are in flight, each in its own PartSlot. Kernels of different parts run one after
/// the other, so that all parts can share the buffers that a method keeps on the device. A part
/// reaches the map when it is finished. When a stop or an error ends the run, nothing is in flight
/// any more, and the parts that are not in the map are back in the queue.
class MapRun {
  public:
    MapRun(const RunInput& input, Templates templates, PartQueue& parts)
        : m_input(input), m_problem(input.problem), m_templates(std::move(templates)),
          m_scene(input.scene), m_execution(input.execution), m_held(input.held),
          m_stored(storedError(input)), m_parts(parts),
          m_copies(m_problem, m_scene, m_held, m_execution.pool, m_times) {
        if (m_templates.size() > 1) {
            m_merger.emplace(m_problem, m_templates, m_scene, m_stored, m_input.map.counted);
        }
        if (input.reduced != nullptr) {
            m_reducer.emplace(m_problem, m_templates, m_scene, *input.reduced);
        }
    }
    MapRun(const MapRun&) = delete;
    MapRun& operator=(const MapRun&) = delete;

    /// Computes parts until the queue is empty or a stop is requested. `what` names the kernels of
    /// the lane in error messages. Only the times of the outcome are set.
    [[nodiscard]] method::Outcome operator()(const std::string& what, const Lane& lane);

  private:
    void share(const std::string& what, const Lane& lane);
    void send(PartSlot& slot, const Lane& lane);
    void receive(PartSlot& slot, const std::string& what, const Lane& lane);
    [[nodiscard]] bool repairEach(std::int64_t count,
                                  const std::function<void(std::int64_t)>& repairOne) const;
    bool finish(const PartSlot& slot);
    [[nodiscard]] BlockRepair repair(const base::Box& box, const method::CanonicalTemplate& templ,
                                     const method::MapView& part, const base::Index& corner) const;
    [[nodiscard]] bool repairs(const method::CanonicalTemplate& templ) const;

    /// Makes a launch write its scores to `buffers`: a PartSlot, or ScoreBuffers for a template of
    /// a bank.
    template <class Buffers> void scoreIn(Buffers& buffers, PartLaunch& launch) const {
        const std::int64_t voxels = base::voxelCount(launch.map);
        launch.value = buffers.value.room(voxels);
        launch.exact = isDouble(m_problem) ? buffers.exact.room(voxels) : nullptr;
        launch.status = buffers.status.room(voxels);
    }

    // For banks:
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
    std::optional<Merger> m_merger;   ///< for a bank
    std::optional<Reducer> m_reducer; ///< if the map stays on the device
    std::deque<PartSlot*> m_underWay; ///< in the order in which they were sent
    method::DeviceTimes m_times;
    PartCopies m_copies;
    double m_repairMs = 0;
};

} // namespace flcc::cuda
