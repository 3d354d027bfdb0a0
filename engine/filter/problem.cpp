#include "engine/filter/problem.h"

#include <fmt/format.h>

#include "engine/base/error.h"

namespace flcc::filter {

base::Extents resultExtents(const Problem& problem) {
    const base::Extents& n = problem.scene;
    const base::Extents& m = problem.kernel;
    switch (problem.extent) {
    case method::Extent::Valid:
        if (m.x > n.x || m.y > n.y || m.z > n.z) {
            throw base::Error(
                base::ErrorCode::Problem,
                fmt::format("kernel {} is larger than scene {}, so no voxel is valid; "
                            "use --extent same or a smaller kernel",
                            base::toString(m), base::toString(n)));
        }
        return {n.x - m.x + 1, n.y - m.y + 1, n.z - m.z + 1};
    case method::Extent::Same:
        return n;
    case method::Extent::Full:
        break;
    }
    return {n.x + m.x - 1, n.y + m.y - 1, n.z + m.z - 1};
}

base::Index firstVoxel(const Problem& problem) {
    method::Problem placed;
    placed.extent = problem.extent;
    placed.templ = problem.kernel;
    return method::firstPlacement(placed);
}

} // namespace flcc::filter
