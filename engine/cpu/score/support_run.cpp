#include "engine/cpu/score/support_run.h"
#include "engine/cpu/common/tile_grid.h"

#include <algorithm>

#include "engine/base/error.h"

namespace flcc::cpu {

void requireNamedMask(const method::Problem& problem, const method::CanonicalTemplate& canonical) {
    if (!canonical.support().empty() && !problem.mask) {
        throw base::Error(base::ErrorCode::Problem,
                          "the template has a mask that the problem does not name");
    }
}

base::Box seenBy(const method::Problem& problem, const base::Box& out) {
    const base::Index first = method::firstPlacement(problem);
    base::Box seen = footprint(out, problem.templ);
    seen.corner.x += first.x;
    seen.corner.y += first.y;
    seen.corner.z += first.z;
    return seen;
}

bool isPartial(const method::MaskedView& scene, const base::Box& seen) {
    return !base::contains(scene.extents(), seen) ||
           (scene.mask.data() != nullptr && method::isMasked(method::partOf(scene, seen)));
}

method::MaskedView withoutIdleMask(const method::Problem& problem,
                                   const method::MaskedView& scene) {
    if (!method::isMasked(scene)) {
        return scene.pixels;
    }
    if (!problem.sceneMask) {
        throw base::Error(base::ErrorCode::Problem,
                          "the scene has a mask that the problem does not name");
    }
    return scene;
}

SupportCost supportCost(const method::Problem& problem, const base::Extents& tile) {
    SupportCost cost;
    if (!needsSupport(problem)) {
        return cost;
    }
    const bool all = problem.mask || problem.sceneMask ||
                     problem.statistics == method::WindowStatistics::Fourier;
    const MapGrid grid(problem, tile, all);
    const auto add = [&](const MapGrid::Part& part) {
        // half vectors take as long as whole ones
        constexpr std::int64_t kColumns = simd::kBlockColumns / 2;
        constexpr std::int64_t kRows = simd::kBlockRows;
        const base::Extents& box = part.box.extents;
        cost.tiles += static_cast<double>(part.grid.count());
        cost.placements += static_cast<double>(base::voxelCount(box));
        cost.blocks +=
            static_cast<double>(roundUp(box.x, kColumns) * roundUp(box.y, kRows) * box.z);
    };
    if (all) {
        add(grid.inner());
    }
    std::for_each(grid.frame().begin(), grid.frame().end(), add);
    const bool partial = problem.extent != method::Extent::Valid || problem.sceneMask;
    const bool overlap = problem.outside == method::Outside::Overlap;
    cost.inputs = partial ? 3 : 2;
    cost.products = 3 + (partial ? 2 + (overlap ? 1 : 0) : 0);
    return cost;
}

} // namespace flcc::cpu
