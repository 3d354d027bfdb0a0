#pragma once

#include <memory>
#include <vector>

#include "engine/cpu/common/map_grid.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/transform/tile_transform.h"

namespace flcc::cpu {

/// True if `problem` has general tiles: tiles other than plain boxes inside the scene.
[[nodiscard]] inline bool needsSupport(const method::Problem& problem) {
    return problem.mask || problem.sceneMask || problem.extent != method::Extent::Valid ||
           problem.statistics == method::WindowStatistics::Fourier ||
           problem.operation.traits().byDefinition;
}

/// **Errors**: Problem for a mask of the template that the problem does not name.
void requireNamedMask(const method::Problem& problem, const method::CanonicalTemplate& canonical);

/// The scene voxels under the placements of `out`. The box may leave the scene.
[[nodiscard]] base::Box seenBy(const method::Problem& problem, const base::Box& out);

/// True if a tile is a general one: `seen` leaves the scene or holds a 0 of its mask.
[[nodiscard]] bool isPartial(const method::MaskedView& scene, const base::Box& seen);

/// The scene; without its mask if that is all ones. **Errors**: Problem for a mask that the problem
/// does not name.
[[nodiscard]] method::MaskedView withoutIdleMask(const method::Problem& problem,
                                                 const method::MaskedView& scene);

/// True if tiles of `points` at the border of the scene are computed in single precision and in
/// shapes of their own (operation/rim_values); `points` is 0 without transforms.
[[nodiscard]] inline bool takesRims(const method::Problem& problem, const base::Extents& points) {
    return points.x > 0 && problem.extent != method::Extent::Valid && !problem.sceneMask &&
           problem.operation.traits().hasRowScorer &&
           problem.precision == method::Precision::Single &&
           problem.statistics != method::WindowStatistics::Fourier;
}

/// The points of such a tile in a part of the border of extents `part`: no more than `points` give,
/// and as few as cut the part into equal tiles.
[[nodiscard]] TransformShape rimShape(const method::Problem& problem, const TransformShape& points,
                                      const base::Extents& part);
/// The tiles of a map, with those shapes at its border if takesRims().
[[nodiscard]] MapGrid mapGrid(const method::Problem& problem, const TransformShape& points,
                              const base::Extents& tile, bool whole);

/// True if every tile is a general one.
[[nodiscard]] inline bool allGeneral(const method::Problem& problem,
                                     const method::CanonicalTemplate& canonical) {
    return !canonical.support().empty() ||
           problem.statistics == method::WindowStatistics::Fourier ||
           problem.operation.traits().byDefinition;
}

/// All templates of a bank if they can share a run: either all of them need general tiles
/// everywhere, or none does. Else, when a mask counts for some only, an empty list. **Errors**:
/// Problem for another number of templates than the problem's.
template <class Templ>
[[nodiscard]] std::vector<const Templ*>
alikeTemplates(const method::Problem& problem,
               const std::vector<std::shared_ptr<const method::Prepared>>& prepared) {
    method::requireTemplates(problem, prepared.size());
    std::vector<const Templ*> templs;
    for (const auto& one : prepared) {
        templs.push_back(&dynamic_cast<const Templ&>(*one));
        if (allGeneral(problem, templs.back()->canonical()) !=
            allGeneral(problem, templs.front()->canonical())) {
            return {};
        }
    }
    return templs;
}

/// Bytes of the second map that a bank takes if alikeTemplates() may be empty, so that its
/// templates run one after the other.
[[nodiscard]] inline std::int64_t unlikeBytes(const method::Problem& problem) {
    return problem.mask ? oneByOneBytes(problem, 0) : 0;
}

/// Numbers for the predicted cost of general tiles; all 0 if there are none.
struct SupportCost {
    double tiles = 0;          ///< number of general tiles
    double placements = 0;     ///< placements in general tiles; the others lie in plain tiles
    double blocks = 0;         ///< these placements, rounded up to the register blocks of `direct`
    std::int64_t inputs = 0;   ///< inputs that are transformed
    std::int64_t products = 0; ///< correlations of an input with weights
};
[[nodiscard]] SupportCost supportCost(const method::Problem& problem, const base::Extents& tile);

/// What a part of the border costs, if takesRims().
struct RimCost {
    TransformShape points;
    double tiles = 0;
    double placements = 0;
};
[[nodiscard]] std::vector<RimCost>
rimCosts(const method::Problem& problem, const TransformShape& points, const base::Extents& tile);

/// Nanoseconds for the score, bound and status of one placement, given its sums.
inline constexpr double kSupportScoreNs = 30;
/// Time of loading a general tile, divided by that of a plain one.
inline constexpr double kSupportLoads = 6;

} // namespace flcc::cpu
