#pragma once

#include "engine/base/image.h"
#include "engine/base/status.h"
#include "engine/method/problem.h"

namespace flcc::reference {

/// Expected result of one placement; the value is 0 if the status has no value.
struct Score {
    double value = 0;
    base::Status status = base::Status::NotComputed;
};

/// Expected result of every placement of an extent; a voxel belongs to the placement's first voxel.
struct ScoreMap {
    base::Image<double> value;
    base::Image<base::Status> status;
};

/// The first voxels of all placements of an extent. **Errors**: Problem when the template is larger
/// than the scene.
[[nodiscard]] inline base::Box placementsOf(const method::MaskedView& scene,
                                            const base::Extents& templ, method::Extent extent) {
    method::Problem problem;
    problem.scene = scene.extents();
    problem.templ = templ;
    problem.extent = extent;
    return {method::firstPlacement(problem), method::mapExtents(problem)};
}

/// Calls `judge` for every placement, x fastest.
template <class Judge> [[nodiscard]] ScoreMap scoreAll(const base::Box& placements, Judge&& judge) {
    const auto& [first, map] = placements;
    ScoreMap scores{base::Image<double>(map), base::Image<base::Status>(map)};
    for (std::int64_t z = 0; z < map.z; ++z) {
        for (std::int64_t y = 0; y < map.y; ++y) {
            for (std::int64_t x = 0; x < map.x; ++x) {
                const Score score = judge(base::Index{first.x + x, first.y + y, first.z + z});
                scores.value.view().at(x, y, z) = score.value;
                scores.status.view().at(x, y, z) = score.status;
            }
        }
    }
    return scores;
}

} // namespace flcc::reference
