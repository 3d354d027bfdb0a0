#include "engine/cpu/tile_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace flcc::cpu {

std::string memoryRefusal(std::int64_t bytes, const method::Limits& limits) {
    if (bytes <= limits.memoryBytes) {
        return {};
    }
    const auto mebi = [](std::int64_t count) {
        char text[32];
        std::snprintf(text, sizeof(text), "%.1f MiB", static_cast<double>(count) / 0x1p20);
        return std::string(text);
    };
    return "needs " + mebi(bytes) + ", the limit is " + mebi(limits.memoryBytes);
}

std::string supportRefusal(const method::Problem& problem) {
    if (problem.mask || problem.sceneMask || problem.extent != method::Extent::Valid ||
        problem.statistics == method::WindowStatistics::Fourier) {
        return "masks, extents beyond the scene and statistics by transforms are not computed yet";
    }
    return {};
}

double denominatorNs(const method::Problem& problem, const base::Extents& tile,
                     const method::CostModel& model) {
    const double outputs = static_cast<double>(base::voxelCount(method::mapExtents(problem)));
    return outputs * model.denominatorNs(problem.templ, tile);
}

double predictedK(const method::SceneStatistics& statistics) {
    // A tile sees a part of the scene's range; a third of it is typical of pictures.
    const double spread = (statistics.maximum - statistics.minimum) / 3;
    if (!(statistics.lowContrast > 0)) {
        return spread > 0 ? 1e6 : 1;
    }
    return std::clamp(spread / statistics.lowContrast, 1.0, 1e6);
}

} // namespace flcc::cpu
