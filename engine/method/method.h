#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/method/bank.h"
#include "engine/method/candidate.h"
#include "engine/method/cost_model.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"
#include "engine/method/reduced_map.h"

namespace flcc::method {

/// Everything a method derives from the template alone; immutable, shared between threads.
class Prepared {
  public:
    virtual ~Prepared() = default;
};

/// Those of the templates of a problem, in their order.
using PreparedTemplates = std::vector<std::shared_ptr<const Prepared>>;

/// Scratch that changes with each call; made by the method, owned by the caller, used by one
/// execute() at a time, and worth keeping between scenes of a stream.
class Workspace {
  public:
    virtual ~Workspace() = default;
};

/// A scene that a method keeps where it computes.
class HeldScene {
  public:
    virtual ~HeldScene() = default;
};

/// What runs on one scene hand on, one after the other: as long as the scene's pixels stay, and of
/// one device at a time.
struct SceneHold {
    std::unique_ptr<HeldScene> scene;
    bool refused = false; ///< a device had no room for it
};

/// What surrounds one execution.
struct Execution {
    base::TilePool& pool;
    std::stop_token stop;
    /// Told each box of the map that is finished for good; called on any worker, one at a time.
    std::function<void(const base::Box&)> regionFinished;
    SceneHold* hold = nullptr; ///< of a problem with several runs
};

/// How an execution ended. Cancelled: finished regions hold their final values, the rest is 0 and
/// NOT_COMPUTED.
struct Outcome {
    bool cancelled = false;
    MapFacts facts;
    StagesMs stagesMs;
    std::optional<DeviceTimes> times;  ///< of a run on devices
    std::vector<std::string> failures; ///< of devices, and what was done instead, in sentences
    std::shared_ptr<const ReducedMap> reduced{}; ///< of reduce(); null when cancelled
};

/// One method on one device (METHODS 3). Stateless; safe to call from several threads.
class Method {
  public:
    virtual ~Method() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual std::string_view device() const = 0;

    /// Bytes of its device for Limits::deviceMemory: those that are free now, rounded down so far
    /// that what others take and give back seldom changes a plan. Wakes a device that sleeps.
    [[nodiscard]] virtual std::int64_t freeMemory() const { return INT64_MAX; }

    /// The candidates worth considering for the problem, also those it will refuse. A `tile` that
    /// is not 0 fixes the tile (`--tile`).
    [[nodiscard]] virtual std::vector<Candidate>
    candidates(const Problem& problem, const Limits& limits, const base::Extents& tile) const = 0;

    /// Predicts the cost of a candidate or refuses it with a reason. Under 10 us. `statistics` may
    /// be null.
    [[nodiscard]] virtual Verdict predict(const Problem& problem, const Candidate& candidate,
                                          const Limits& limits, const CostModel& model,
                                          const SceneStatistics* statistics) const = 0;

    /// Makes the FFTW plans a candidate needs, so that execute finds them; does nothing for the
    /// others. Its time is planning time.
    virtual void warmUp(const Problem& problem, const Candidate& candidate) const = 0;

    /// On the threads of `pool`. **Errors**: Problem for a template that is constant, non-finite or
    /// of one voxel under its mask, and for a mask that the problem does not name.
    [[nodiscard]] virtual std::shared_ptr<const Prepared> prepare(const Problem& problem,
                                                                  const Candidate& candidate,
                                                                  const MaskedView& templ,
                                                                  base::TilePool& pool) const = 0;

    [[nodiscard]] virtual std::unique_ptr<Workspace>
    makeWorkspace(const Problem& problem, const Candidate& candidate) const = 0;

    /// Fills `map`. **Shapes**: scene and map as in the problem. **Errors**: Problem for a mask
    /// that the problem does not name.
    virtual Outcome execute(const Problem& problem, const Candidate& candidate,
                            const Prepared& prepared, const MaskedView& scene, Workspace& workspace,
                            const Execution& execution, const MapView& map) const = 0;

    /// As execute() with several templates of one extent, `prepared` in their order: `to` gets the
    /// best score of each voxel (mergeBest). Tile outer, template inner where the method shares
    /// what belongs to the scene; one template after the other through execute() and a map of its
    /// own where it does not, which is what this one does. A region is finished when all templates
    /// are done with it; cancelled, index is -1 in the rest. Facts: status counts of the best map,
    /// `recomputed` and `overRange` summed and bounds the largest over the templates, `scores`.
    /// **Errors**: as execute(); Problem for another number of templates than the problem's.
    virtual Outcome executeBank(const Problem& problem, const Candidate& candidate,
                                const PreparedTemplates& prepared, const MaskedView& scene,
                                Workspace& workspace, const Execution& execution,
                                const BankView& to) const;

    /// True when reduce() does the problem, whose map is not asked for.
    [[nodiscard]] virtual bool reduces(const Problem&) const { return false; }
    /// As execute(), of several templates as executeBank(), without a map: brings back what the
    /// peaks, the statistics and `wanted` need, with the values and statuses that those would give,
    /// and the same facts. **Errors**: as theirs; Internal where reduces() is false.
    virtual Outcome reduce(const Problem& problem, const Candidate& candidate,
                           const PreparedTemplates& prepared, const MaskedView& scene,
                           Workspace& workspace, const Execution& execution,
                           const Reduction& wanted) const;
};

} // namespace flcc::method
