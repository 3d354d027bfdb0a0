#include "engine/cpu/support_run.h"

#include "engine/base/error.h"

namespace flcc::cpu {

std::optional<SupportTemplate> supportTemplate(const method::Problem& problem,
                                               const method::CanonicalTemplate& canonical,
                                               const method::MaskedView& templ) {
    if (!canonical.support().empty() && !problem.mask) {
        throw base::Error(base::ErrorCode::Problem,
                          "the template has a mask that the problem does not name");
    }
    return needsSupport(problem) ? std::optional<SupportTemplate>(std::in_place, canonical, templ)
                                 : std::nullopt;
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
    const double map = static_cast<double>(base::voxelCount(method::mapExtents(problem)));
    cost.tiles = static_cast<double>(all ? grid.count() : std::ssize(grid.frame()));
    cost.placements = all ? map : map - static_cast<double>(base::voxelCount(grid.inner().extents));
    const auto blocks = [](const base::Extents& box) {
        constexpr std::int64_t kColumns = simd::kBlockColumns / 2; // half vectors take as long
        constexpr std::int64_t kRows = simd::kBlockRows;
        return static_cast<double>((box.x + kColumns - 1) / kColumns * kColumns *
                                   ((box.y + kRows - 1) / kRows * kRows) * box.z);
    };
    cost.blocks = all ? map : 0;
    for (const base::Box& box : grid.frame()) {
        cost.blocks += blocks(box.extents);
    }
    const bool partial = problem.extent != method::Extent::Valid || problem.sceneMask;
    const bool overlap = problem.outside == method::Outside::Overlap;
    cost.inputs = partial ? 3 : 2;
    cost.products = 3 + (partial ? 2 + (overlap ? 1 : 0) : 0);
    return cost;
}

} // namespace flcc::cpu
