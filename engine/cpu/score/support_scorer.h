#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/tile/support_loader.h"
#include "engine/method/shared/panel_score.h"

namespace flcc::cpu {

/// What the general tiles of a run share (SupportScorer).
struct SupportRun {
    const method::Problem& problem;
    const SupportTemplate& templ;
    const method::CanonicalTemplate& canonical;
    const method::MaskedView& scene; ///< has no mask if the mask is all ones
    const method::MapView& map;      ///< the part of the map that belongs to the tile
    std::stop_token stop;            ///< tested between the sums of a tile
};

/// Indices of the stages of a general tile in a method's list of stages.
struct SupportStages {
    std::size_t load;
    std::size_t sums;
    std::size_t score;
    std::size_t repair;
};

/// Scores general tiles: those under a mask, at the border of `same` and `full`, or with a mask of
/// the scene, where panels are not plain boxes inside the scene (engine/method/NUMERICS.md,
/// sections 1 and 5). All sums are in double. Scores that still break the promise are replaced by
/// canonical values. One for each worker.
class SupportScorer {
  public:
    explicit SupportScorer(std::unique_ptr<Correlator> correlator)
        : m_correlator(std::move(correlator)) {}

    /// Fills the map of the tile `out`. False: stopped before anything was written. A later stop
    /// leaves the voxels that were to be replaced as LOWCONF.
    [[nodiscard]] bool tile(const SupportRun& run, const base::Box& out,
                            const SupportStages& stages, WorkerTally& tally);

  private:
    /// What is known of the panels of a tile before they are scored.
    struct Sums {
        SupportFrame frame;
        bool partial = false;  ///< part of the footprint lies outside the scene or its mask
        double insideNorm = 0; ///< ||B_S||
    };
    class Tile;

    /// Empty if stopped.
    [[nodiscard]] std::optional<Sums> sumsOf(const SupportRun& run, const base::Box& out,
                                             const SupportStages& stages, WorkerTally& tally);
    [[nodiscard]] method::shared::PanelFrame frameOf(const SupportRun& run, const Sums& sums) const;
    void score(const SupportRun& run, const base::Box& out, const Sums& sums,
               const SupportStages& stages, WorkerTally& tally);

    std::unique_ptr<Correlator> m_correlator;
};

/// The scene voxels under the placements of `out`. The box may leave the scene.
[[nodiscard]] base::Box seenBy(const method::Problem& problem, const base::Box& out);

/// True if a tile is a general one: `seen` leaves the scene or holds a 0 of its mask.
[[nodiscard]] bool isPartial(const method::MaskedView& scene, const base::Box& seen);

} // namespace flcc::cpu
