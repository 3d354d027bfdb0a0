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

namespace flcc::method {

/// The values of placements that a method makes. It refuses problems that need others.
struct Values {
    bool scores = false;      ///< r, of operations that have the row scorer
    bool forms = false;       ///< of other operations, from sums and canonical values
    bool differences = false; ///< of operations that are byDefinition
    bool searchSums = false;  ///< Problem::searchSums beside them
};

/// Properties of a method, all but `makes` the same on every device. Code that plans or lists
/// methods asks for them instead of comparing names.
struct Traits {
    std::string_view title; ///< the method's name in a list: "Tiled Fourier"
    /// True: numerators are sums of products, and Candidate::tile is in placements. False:
    /// numerators come from Fourier transforms, and Candidate::tile is in points of a transform.
    bool byDefinition = false;
    bool wholeScene = false; ///< one transform covers the whole scene
    /// Numerators are sums of products axis by axis, for templates of a small Problem::residual.
    bool axisByAxis = false;
    /// Takes less memory than the other method that transforms whole scenes, and more time. `auto`
    /// considers it where that one does not fit.
    bool savesMemory = false;
    bool cutsTemplate = false; ///< a template that does not fit into the tile is cut into blocks
    Values makes;
};

class MethodOnDevice;

/// Everything that a method derives from the template alone.
///
/// **Threads**: any number of runs may share one object. Data that a run has read never changes.
/// Large spectra may be missing until the first run that needs them computes them, once and under a
/// lock: TemplateSpectra::m_lock, SupportSpectra::m_lock and TiledPrepared::m_once in engine/cpu.
/// No other data is computed late.
class Prepared {
  public:
    virtual ~Prepared() = default;
};

/// The prepared templates of a problem, in the order of the templates.
using PreparedTemplates = std::vector<std::shared_ptr<const Prepared>>;

/// Buffers of a run. The method makes them, the caller owns them. Keep a workspace between scenes
/// with the same plan: allocating takes time. **Threads**: one execute() at a time.
class Workspace {
  public:
    virtual ~Workspace() = default;
};

/// Threads, cancellation and progress of one execution.
struct Execution {
    base::TilePool& pool;
    std::stop_token stop;
    /// Called with each box of the map whose voxels are final, on any worker, one call at a time.
    /// May be empty.
    std::function<void(const base::Box&)> regionFinished;
    ExecutionOnDevice onDevice{};
};

/// Result of an execution beside the map. If `cancelled`, finished regions of the map hold their
/// final values; all other voxels are 0 and NOT_COMPUTED.
struct Outcome {
    bool cancelled = false;
    MapFacts facts;
    StagesMs stagesMs;
    OutcomeOnDevice onDevice{};
};

/// Why a candidate of a method that somebody chose cannot use the FFTW that `limits` ask for: it
/// makes no transforms on the processor. Else empty.
[[nodiscard]] std::string withoutTransforms(const Candidate& candidate, const Limits& limits);

/// One method on one device. **Threads**: any; a method has no state.
class Method {
  public:
    virtual ~Method() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual Traits traits() const = 0;
    [[nodiscard]] virtual std::string_view device() const = 0;

    /// The interface that only methods on a GPU have; null for a method on the processor.
    [[nodiscard]] virtual const MethodOnDevice* onDevice() const { return nullptr; }

    /// Why the method does not have the operation of `problem`; empty if it has. By Traits::makes,
    /// which every method states; a method that has further reasons overrides this.
    [[nodiscard]] virtual std::string refusal(const Problem& problem) const;

    /// The candidates worth considering for the problem, at least one. Candidates that predict()
    /// refuses are included, so that a plan report can show why. A `tile` other than 0 fixes the
    /// tile (`--tile`).
    [[nodiscard]] virtual std::vector<Candidate>
    candidates(const Problem& problem, const Limits& limits, const base::Extents& tile) const = 0;

    /// Predicts the cost of a candidate, or refuses it with a reason. `statistics` may be null.
    /// **Cost**: under 10 us.
    [[nodiscard]] virtual Verdict predict(const Problem& problem, const Candidate& candidate,
                                          const Limits& limits, const CostModel& model,
                                          const SceneStatistics* statistics) const = 0;

    /// Makes the FFTW plans that a candidate needs, so that execute() does not have to; does
    /// nothing for a candidate without FFTW. Its time counts as planning time.
    virtual void warmUp(const Problem& problem, const Candidate& candidate) const = 0;

    /// Computes what depends on the template only, on the threads of `pool`. **Errors**: Problem as
    /// requireUsableTemplate(), and for a mask if `problem.mask` is false.
    [[nodiscard]] virtual std::shared_ptr<const Prepared> prepare(const Problem& problem,
                                                                  const Candidate& candidate,
                                                                  const MaskedView& templ,
                                                                  base::TilePool& pool) const = 0;

    [[nodiscard]] virtual std::unique_ptr<Workspace>
    makeWorkspace(const Problem& problem, const Candidate& candidate) const = 0;

    /// Computes the map of one template. **Shapes**: `scene` has the extents `problem.scene`, `map`
    /// has mapExtents(problem). **Errors**: Problem for a scene with a mask if `problem.sceneMask`
    /// is false.
    virtual Outcome execute(const Problem& problem, const Candidate& candidate,
                            const Prepared& prepared, const MaskedView& scene, Workspace& workspace,
                            const Execution& execution, const MapView& map) const = 0;

    /// Computes the map of a bank: each voxel of `to` gets the best score of all templates
    /// (mergeBest). `prepared` holds the templates in their order. A region is finished when all
    /// templates are merged into it. If cancelled, the index is -1 in all other regions.
    ///
    /// The facts hold the status counts of the best map, the sums of `recomputed` and `overRange`
    /// over the templates, the largest of their bounds, and `scores`.
    ///
    /// This implementation runs execute() for one template after the other with a second map. A
    /// method that can share its work on the scene between templates overrides it.
    /// **Errors**: as execute(); Problem if the number of templates is not that of the problem.
    virtual Outcome executeBank(const Problem& problem, const Candidate& candidate,
                                const PreparedTemplates& prepared, const MaskedView& scene,
                                Workspace& workspace, const Execution& execution,
                                const BankView& to) const;
};

} // namespace flcc::method
