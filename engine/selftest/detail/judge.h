#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/reference/exact_lcc.h"
#include "engine/reference/lcc.h"
#include "engine/reference/match_operation.h"
#include "engine/reference/score.h"
#include "engine/selftest/detail/method_run.h"

namespace flcc::selftest {

/// The exact scores of a problem. Computed in exact integers if all finite voxels of scene and
/// template are integer multiples of one power of two and the sums fit 128 bits; else in double.
class Expected {
  public:
    Expected(const method::MaskedView& scene, const method::MaskedView& templ,
             const Asked& asked = {});

    /// The score of the placement whose first voxel lies on the scene voxel `corner`.
    [[nodiscard]] reference::Score at(const base::Index& corner) const;
    [[nodiscard]] reference::ScoreMap map() const;
    /// True if at() and map() have computed every score so far in exact integers.
    [[nodiscard]] bool isExact() const { return m_exactSoFar; }

  private:
    method::MaskedView m_scene;
    base::Extents m_templ;
    Asked m_asked;
    std::optional<base::AnyImage> m_twin; ///< integers that replace a float scene
    method::MaskedView m_twinScene;       ///< m_twin, or the scene if it has integers
    std::optional<reference::ExactLcc> m_exact;
    reference::Lcc m_double;
    mutable bool m_exactSoFar = true;
};

/// Result of comparing one run.
struct Finding {
    std::string fault;       ///< as a sentence; empty if everything is as promised
    double largestError = 0; ///< over voxels with a value
    double overBound = 0;    ///< largest error / largest bound that the run reports
};

/// Some placements and their expected scores.
struct Samples {
    std::vector<base::Index> corners;
    std::vector<reference::Score> scores;
};

/// Expected scores of `places` and of `count` seeded placements.
[[nodiscard]] Samples samplesOf(const method::MaskedView& scene, const method::MaskedView& templ,
                                const std::vector<base::Index>& places, int count);

/// Runs candidates on its own threads and compares their results with the expected scores.
class Judge {
  public:
    Judge(std::vector<const method::Method*> methods, int threads);

    /// Every candidate that the methods accept; also one candidate of each method in double
    /// precision and one without recomputing. `tile` other than 0 fixes the tile.
    [[nodiscard]] std::vector<Way> waysFor(const method::MaskedView& scene,
                                           const method::MaskedView& templ,
                                           const base::Extents& tile = {0, 0, 0},
                                           const Asked& asked = {}) const;

    /// Two candidates of each method that has Asked::operation, which is not lcc.
    [[nodiscard]] std::vector<Way> operationWays(const method::MaskedView& scene,
                                                 const method::MaskedView& templ,
                                                 const Asked& asked) const;
    /// Runs `way`, of an operation other than lcc, and compares every voxel with its definition.
    [[nodiscard]] Finding judge(const Way& way, const method::MaskedView& scene,
                                const method::MaskedView& templ,
                                const reference::MatchOperation& definition,
                                const reference::ScoreMap& expected);

    [[nodiscard]] MethodRun run(const Way& way, const method::MaskedView& scene,
                                const method::MaskedView& templ);

    /// Runs `way` and compares every voxel.
    [[nodiscard]] Finding judge(const Way& way, const method::MaskedView& scene,
                                const method::MaskedView& templ,
                                const reference::ScoreMap& expected);
    /// Runs `way` and compares some voxels.
    [[nodiscard]] Finding judge(const Way& way, const method::MaskedView& scene,
                                const method::MaskedView& templ, const Samples& expected);

  private:
    std::vector<const method::Method*> m_methods;
    base::TilePool m_pool;
};

} // namespace flcc::selftest
