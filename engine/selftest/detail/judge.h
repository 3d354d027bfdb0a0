#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/reference/exact_lcc.h"
#include "engine/reference/lcc.h"
#include "engine/reference/score.h"
#include "engine/selftest/detail/method_run.h"

namespace flcc::selftest {

/// The scores that a problem must have: in exact integers where all finite voxels of scene and
/// template are integers times one power of two and the sums fit 128 bits, else in double.
class Expected {
  public:
    Expected(const method::MaskedView& scene, const method::MaskedView& templ,
             const Asked& asked = {});

    /// The placement whose first voxel lies on the scene voxel `corner`.
    [[nodiscard]] reference::Score at(const base::Index& corner) const;
    [[nodiscard]] reference::ScoreMap map() const;
    /// True when no score of at() and map() so far had to be taken in double.
    [[nodiscard]] bool isExact() const { return m_exactSoFar; }

  private:
    method::MaskedView m_scene;
    base::Extents m_templ;
    Asked m_asked;
    std::optional<base::AnyImage> m_twin; ///< of a float scene, in integers
    method::MaskedView m_twinScene;       ///< it, or the scene of integers
    std::optional<reference::ExactLcc> m_exact;
    reference::Lcc m_double;
    mutable bool m_exactSoFar = true;
};

/// What became of one run.
struct Finding {
    std::string fault;       ///< in words; empty when all is as promised
    double largestError = 0; ///< voxels with a value
    double overBound = 0;    ///< over the largest bound that the run tells
};

/// Some placements and the scores they must have.
struct Samples {
    std::vector<base::Index> corners;
    std::vector<reference::Score> scores;
};

/// `places` and `count` seeded ones, judged.
[[nodiscard]] Samples samplesOf(const method::MaskedView& scene, const method::MaskedView& templ,
                                const std::vector<base::Index>& places, int count);

/// Runs ways on threads of its own and judges what they leave behind.
class Judge {
  public:
    Judge(std::vector<const method::Method*> methods, int threads);

    /// Every candidate the methods accept; one of each method in double precision and without
    /// recomputing too. `tile` other than 0 fixes the tile.
    [[nodiscard]] std::vector<Way> waysFor(const method::MaskedView& scene,
                                           const method::MaskedView& templ,
                                           const base::Extents& tile = {0, 0, 0},
                                           const Asked& asked = {}) const;

    [[nodiscard]] MethodRun run(const Way& way, const method::MaskedView& scene,
                                const method::MaskedView& templ);

    /// Runs `way` and judges every voxel.
    [[nodiscard]] Finding judge(const Way& way, const method::MaskedView& scene,
                                const method::MaskedView& templ,
                                const reference::ScoreMap& expected);
    /// Runs `way` and judges some voxels.
    [[nodiscard]] Finding judge(const Way& way, const method::MaskedView& scene,
                                const method::MaskedView& templ, const Samples& expected);

  private:
    std::vector<const method::Method*> m_methods;
    base::TilePool m_pool;
};

} // namespace flcc::selftest
