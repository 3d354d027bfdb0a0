#pragma once

#include <cstdint>

#include "engine/cpu/score/integer_template.h"
#include "engine/cpu/score/tile_scorer.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// A problem as the memory of its runs counts: buffers that no panel of the scene can need are left
/// out. Without statistics every panel is possible.
struct Counted {
    /// Does not recompute where no score in single precision can break the promise.
    method::Problem problem;
    bool integers = true;     ///< a template may be of few bits
    double leastVariance = 0; ///< lower bound on D of a panel in any frame; 0 = not known
    double steps = 0;         ///< SceneStatistics::steps

    /// All buffers count.
    explicit Counted(const method::Problem& all) : problem(all) {}
    /// `terms` are those of a panel with K = 1 and D = 1; of the two bounds on the numerator,
    /// `worst` counts. `statistics` may be null.
    Counted(const method::Problem& all, const BoundTerms& terms,
            const method::SceneStatistics* statistics);

    /// Bytes of TemplateForms of one template.
    [[nodiscard]] std::int64_t templateBytes() const;
    /// Bytes of the scorer of tiles of `tile` placements.
    [[nodiscard]] std::int64_t scorerBytes(const base::Extents& tile) const;

  private:
    /// True unless running sums give all window sums (engine/method/NUMERICS.md, section 4).
    [[nodiscard]] bool needsAdditions(const base::Extents& tile) const;
};

} // namespace flcc::cpu
