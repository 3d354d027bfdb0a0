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
#include "engine/method/on_device.h"
#include "engine/method/problem.h"
#include "engine/method/traits.h"

namespace flcc::method {

class MethodOnDevice;

/// Everything a method derives from the template alone. What a run reads of it never changes once
/// it is made.
///
/// **Threads**: any number of runs share it. Large spectra may be missing until the first run that
/// needs them makes them, once and under a lock that belongs to them: TemplateSpectra::m_lock,
/// SupportSpectra::m_lock and TiledPrepared::m_once in engine/cpu. Nothing is made late elsewhere.
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

/// What surrounds one execution.
struct Execution {
    base::TilePool& pool;
    std::stop_token stop;
    /// Told each box of the map that is finished for good; called on any worker, one at a time.
    std::function<void(const base::Box&)> regionFinished;
    ExecutionOnDevice onDevice{};
};

/// How an execution ended. Cancelled: finished regions hold their final values, the rest is 0 and
/// NOT_COMPUTED.
struct Outcome {
    bool cancelled = false;
    MapFacts facts;
    StagesMs stagesMs;
    OutcomeOnDevice onDevice{};
};

/// One method on one device (METHODS 3). Stateless; safe to call from several threads.
class Method {
  public:
    virtual ~Method() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual Traits traits() const = 0;
    [[nodiscard]] virtual std::string_view device() const = 0;

    /// What the method offers beside this; null for a method on the processor.
    [[nodiscard]] virtual const MethodOnDevice* onDevice() const { return nullptr; }

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
};

} // namespace flcc::method
