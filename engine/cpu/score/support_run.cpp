#include "engine/cpu/score/support_run.h"
#include "engine/cpu/common/tile_grid.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/method/shared/smooth_length.h"

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

TransformShape rimShape(const method::Problem& problem, const TransformShape& points,
                        const base::Extents& part) {
    const base::Extents& m = problem.templ;
    const auto length = [](std::int64_t of, std::int64_t templ, std::int64_t placements,
                           bool lines) {
        const std::int64_t most = of - templ + 1;
        const std::int64_t tiles = (placements + most - 1) / most;
        const std::int64_t least = (placements + tiles - 1) / tiles + templ - 1;
        const std::int64_t smooth = lines ? 8 * method::shared::nextSmooth((least + 7) / 8)
                                          : method::shared::nextSmooth(least);
        return of == 1 ? 1 : std::min(of, smooth);
    };
    const bool space = points.z > 1;
    return points.with({length(points.x, m.x, part.x, true), length(points.y, m.y, part.y, space),
                        length(points.z, m.z, part.z, true)});
}

MapGrid mapGrid(const method::Problem& problem, const TransformShape& points,
                const base::Extents& tile, bool whole) {
    if (!takesRims(problem, points)) {
        return MapGrid(problem, tile, whole);
    }
    return MapGrid(problem, tile, whole, [&](const base::Extents& part) {
        const TransformShape shape = rimShape(problem, points, part);
        const base::Extents& m = problem.templ;
        return base::Extents{std::min(shape.x - m.x + 1, part.x),
                             std::min(shape.y - m.y + 1, part.y),
                             std::min(shape.z - m.z + 1, part.z)};
    });
}

std::vector<RimCost> rimCosts(const method::Problem& problem, const TransformShape& points,
                              const base::Extents& tile) {
    std::vector<RimCost> costs;
    const MapGrid grid = mapGrid(problem, points, tile, false);
    for (const MapGrid::Part& part : grid.frame()) {
        costs.push_back({rimShape(problem, points, part.box.extents),
                         static_cast<double>(part.grid.count()),
                         static_cast<double>(base::voxelCount(part.box.extents))});
    }
    return costs;
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
