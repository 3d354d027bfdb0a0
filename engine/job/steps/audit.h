#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/job.h"
#include "engine/method/bank.h"

namespace flcc::job::detail {

/// A finished run whose scores are checked. All positions count from the first voxel of `scene`,
/// the part of the scene that is searched.
struct AuditInput {
    method::MaskedView scene;
    std::vector<method::MaskedView> templates; ///< of one extent, as they were matched
    const method::Problem& problem;
    const method::MatchMap* map = nullptr;
    const method::ReducedMap* reduced =
        nullptr;                            ///< the voxels that a GPU copied back, instead of `map`
    base::View<const std::int32_t> index{}; ///< the template of each score; may be empty
    const method::MapFacts& facts;
    std::vector<match::Peak> peaks{}; ///< their templates are counted from the first template here
    /// Placements of low contrast: those of method::SceneStatistics.
    const std::vector<base::Index>& lowest;
    /// Of a search over poses: the members that `index` names. Else null.
    std::shared_ptr<const rotation::PoseBank> poses{};
    method::Counted counted{}; ///< of these members
};

/// Voxels of the map that an audit checks whatever their values are: 64 voxels drawn with a fixed
/// seed, then those of the placements `lowest`.
[[nodiscard]] std::vector<base::Index> auditedVoxels(const method::Problem& problem,
                                                     const std::vector<base::Index>& lowest);

/// Why no audit is made: it is switched off, or with Audit::Auto its predicted time is more than 2
/// % of a run of `runMs`. Empty if the audit is to be made.
[[nodiscard]] std::optional<std::string> auditRefusal(Audit wanted, const AuditInput& input,
                                                      double runMs);

/// Computes scores by reference::Lcc or reference::MatchOperation and compares them with the run.
/// The expected score of a voxel is the best one of all templates, and must also be the score of
/// the template that the index names. Checked are:
/// - every peak: its score against its own bound, and the map there;
/// - 64 voxels of the map, drawn with a fixed seed;
/// - the lowest-contrast placements of the coarse grid of the scene's statistics, where they have a
///   value: at most 64 panels with the lowest deviation above 0.
/// Of a search over poses the member that the index names and three others, drawn with a fixed
/// seed, stand for all members: the score must be that of the first, and of none of them better.
/// The map does not keep the bound of each voxel. So a voxel is compared with the largest bound of
/// its status in the run (OK or LOWCONF), which is never below its own bound. For an OK voxel the
/// limit is never above the promise, because code that computes wrong scores may compute wrong
/// bounds too; for sums, the promise is relative to the values of panel and template. A PARTIAL
/// voxel may have an error as large as the promise. The rounding of the reference is added to every
/// bound. FLAT, NONFINITE, PARTIAL and too small
/// overlaps must be those of the pixels.
/// The audit fails with one deviation above its bound, one wrong status, or a bound of an unmarked
/// voxel above the promise. If cancelled, the report is unspecified. **Threads**: one. **Cost**:
/// some reads of each panel.
[[nodiscard]] AuditReport audit(const AuditInput& input, const std::stop_token& stop = {});

} // namespace flcc::job::detail
