#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// A finished run, as it is judged. All positions count from the first voxel of `scene`, the part
/// of the scene that was searched.
struct AuditInput {
    method::MaskedView scene;
    std::vector<method::MaskedView> templates; ///< of one extent, as they were matched
    const method::Problem& problem;
    const method::MatchMap* map = nullptr;
    const method::ReducedMap* reduced = nullptr; ///< what came back of a map, instead of it
    base::View<const std::int32_t> index{}; ///< of the template of each score; may have no voxels
    const method::MapFacts& facts;
    std::vector<match::Peak> peaks{}; ///< their templates counted from the first one here
    /// Placements of low contrast: those of method::SceneStatistics.
    const std::vector<base::Index>& lowest;
};

/// Voxels of the map that an audit looks at whatever they hold: 64 drawn with a fixed seed, then
/// those of the placements `lowest`.
[[nodiscard]] std::vector<base::Index> auditedVoxels(const method::Problem& problem,
                                                     const std::vector<base::Index>& lowest);

/// Why the audit is left out: it was switched off, or with auto it is predicted to take more than
/// 2 % of a run of `runMs`. Empty when it is due.
[[nodiscard]] std::optional<std::string> auditRefusal(Audit wanted, const AuditInput& input,
                                                      double runMs);

/// Computes scores again by reference::Lcc and compares; the score of a voxel is the best one of
/// all templates there, and also that of the template which the index names:
/// - at every peak, its score against its own bound, and the map there;
/// - at 64 voxels of the map drawn with a fixed seed;
/// - at the lowest-contrast places of the coarse grid of the scene's statistics (METHODS 5) whose
///   voxels have a value: at most 64 panels of the lowest deviation above 0.
///
/// The map does not keep the bound of each voxel. A voxel of the map is held against the largest
/// bound of its status in the run (OK or LOWCONF), which is never below its own; an OK one never
/// against more than the promise, as what computes scores wrongly may do so with bounds; the
/// rounding of the reference, canonicalBound, is added to every bound; a PARTIAL one may be off by
/// as much as was promised. FLAT, NONFINITE, PARTIAL and too small overlaps must be those of the
/// pixels. One deviation above its bound, one wrong status, or a bound of unmarked voxels above the
/// promise fails the audit. Stopped, the report means nothing. **Threads**: one. **Cost**: some
/// reads of each panel.
[[nodiscard]] AuditReport audit(const AuditInput& input, const std::stop_token& stop = {});

} // namespace flcc::job::detail
