#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/cpu/correlator.h"
#include "engine/cpu/support_loader.h"
#include "engine/cpu/tile_run.h"
#include "engine/method/shared/panel_score.h"

namespace flcc::cpu {

/// What the general tiles of a run share.
struct SupportRun {
    const method::Problem& problem;
    const SupportTemplate& templ;
    const method::CanonicalTemplate& canonical;
    const method::MaskedView& scene; ///< without a mask where that is all ones
    const method::MapView& map;      ///< that of the tile alone
    std::stop_token stop;            ///< looked for between the sums of a tile
};

/// Where the stages of a general tile go in a method's list of stages.
struct SupportStages {
    std::size_t load;
    std::size_t sums;
    std::size_t score;
    std::size_t repair;
};

/// Tiles that are not plain boxes wholly inside the scene: under a mask, at the border of `same`
/// and `full`, with a mask of the scene (METHODS 2.0, 2.1). Everything in double; what breaks the
/// promise all the same is replaced by canonical values. One for each worker.
class SupportScorer {
  public:
    explicit SupportScorer(std::unique_ptr<Correlator> correlator)
        : m_correlator(std::move(correlator)) {}

    /// Fills the map of the tile `out`. False: stopped before anything was written; what is found
    /// when it is stopped later stays LOWCONF.
    [[nodiscard]] bool tile(const SupportRun& run, const base::Box& out,
                            const SupportStages& stages, WorkerTally& tally);

  private:
    /// What is known of the panels of a tile before they are scored.
    struct Sums {
        SupportFrame frame;
        bool partial = false;  ///< some of the footprint lies outside
        double insideNorm = 0; ///< ||B_S||
    };
    class Tile;

    /// Empty: stopped.
    [[nodiscard]] std::optional<Sums> sumsOf(const SupportRun& run, const base::Box& out,
                                             const SupportStages& stages, WorkerTally& tally);
    [[nodiscard]] method::shared::PanelFrame frameOf(const SupportRun& run, const Sums& sums) const;
    void score(const SupportRun& run, const base::Box& out, const Sums& sums,
               const SupportStages& stages, WorkerTally& tally);

    std::unique_ptr<Correlator> m_correlator;
};

/// The scene voxels that the placements of `out` see; may leave the scene.
[[nodiscard]] base::Box seenBy(const method::Problem& problem, const base::Box& out);

/// True when a tile needs the general way: `seen` leaves the scene or meets a 0 of its mask.
[[nodiscard]] bool isPartial(const method::MaskedView& scene, const base::Box& seen);

} // namespace flcc::cpu
