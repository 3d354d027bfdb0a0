#pragma once

#include "engine/base/image.h"
#include "engine/base/status.h"

namespace flcc::reference {

/// The judged result of one placement; the value is 0 unless the status is OK.
struct Score {
    double value = 0;
    base::Status status = base::Status::NotComputed;
};

/// The judged result of every placement of the `valid` extent, corner convention.
struct ScoreMap {
    base::Image<double> value;
    base::Image<base::Status> status;
};

/// Asks `judge` for every placement, x fastest.
template <class Judge> [[nodiscard]] ScoreMap scoreAll(const base::Extents& map, Judge&& judge) {
    ScoreMap scores{base::Image<double>(map), base::Image<base::Status>(map)};
    for (std::int64_t z = 0; z < map.z; ++z) {
        for (std::int64_t y = 0; y < map.y; ++y) {
            for (std::int64_t x = 0; x < map.x; ++x) {
                const Score score = judge(base::Index{x, y, z});
                scores.value.view().at(x, y, z) = score.value;
                scores.status.view().at(x, y, z) = score.status;
            }
        }
    }
    return scores;
}

} // namespace flcc::reference
