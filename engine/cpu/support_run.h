#pragma once

#include <optional>
#include <string>

#include "engine/cpu/correlator.h"
#include "engine/cpu/map_grid.h"
#include "engine/cpu/support_scorer.h"

namespace flcc::cpu {

/// True when some tiles of `problem` are not plain boxes inside the scene.
[[nodiscard]] inline bool needsSupport(const method::Problem& problem) {
    return problem.mask || problem.sceneMask || problem.extent != method::Extent::Valid ||
           problem.statistics == method::WindowStatistics::Fourier;
}

/// The template as general tiles need it; empty when `problem` has none. **Errors**: Problem for a
/// mask that the problem does not name.
[[nodiscard]] std::optional<SupportTemplate>
supportTemplate(const method::Problem& problem, const method::CanonicalTemplate& canonical,
                const method::MaskedView& templ);

/// The scene without a mask of ones. **Errors**: Problem for a mask that the problem does not name.
[[nodiscard]] method::MaskedView withoutIdleMask(const method::Problem& problem,
                                                 const method::MaskedView& scene);

/// True when every tile goes the general way.
[[nodiscard]] inline bool allGeneral(const method::Problem& problem,
                                     const method::CanonicalTemplate& canonical) {
    return !canonical.support().empty() || problem.statistics == method::WindowStatistics::Fourier;
}

/// The templates of a bank that go the same way, all of them; none when they do not, as some have
/// a mask that counts and some have none. **Errors**: Problem for another number of templates than
/// the problem's.
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

/// Bytes of the map that templates of one by one need where they may not go the same way.
[[nodiscard]] inline std::int64_t unlikeBytes(const method::Problem& problem) {
    return problem.mask ? oneByOneBytes(problem, 0) : 0;
}

/// What general tiles are expected to cost; nothing where there are none.
struct SupportCost {
    double tiles = 0;        ///< their number
    double placements = 0;   ///< of them, of which those of the plain tiles lack as many
    double blocks = 0;       ///< placements rounded up to the register blocks of direct
    std::int64_t inputs = 0; ///< correlations: inputs that are transformed, and products
    std::int64_t products = 0;
};
[[nodiscard]] SupportCost supportCost(const method::Problem& problem, const base::Extents& tile);

/// Of one placement: its score, bound and status from the sums.
inline constexpr double kSupportScoreNs = 30;
/// Reads of a general tile, against one read of a plain one.
inline constexpr double kSupportLoads = 6;

} // namespace flcc::cpu
