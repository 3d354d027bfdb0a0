#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

#include "engine/base/tile_pool.h"
#include "engine/method/method.h"

namespace flcc::plan {

/// Measured times of a candidate on a scene of noise. **Units**: nanoseconds, medians over the
/// turns.
struct Probe {
    method::Problem problem;
    method::Candidate candidate;
    double outputs = 0;                   ///< placements of the map
    double executeNs = 0;                 ///< elapsed time of execute()
    double prepareNs = 0;                 ///< elapsed time of prepare()
    double workspaceNs = 0;               ///< elapsed time to allocate the workspace's buffers
    std::map<std::string, double> stages; ///< time of each stage, summed over the threads
    bool stopped = false;                 ///< cancelled: the times are not valid

    [[nodiscard]] double stage(const std::string& name) const {
        const auto found = stages.find(name);
        return found == stages.end() ? 0 : found->second;
    }
    /// The sum over all stages.
    [[nodiscard]] double workNs() const;
};

/// Times a method in `turns` turns, after one that does not count, on a scene of noise of extents
/// `scene` and a template of extents `templ` cut from it. With a `tile` of 0 the method chooses.
[[nodiscard]] Probe probe(const method::Method& method, const base::Extents& scene,
                          const base::Extents& templ, const base::Extents& tile, int turns,
                          base::TilePool& pool, const std::stop_token& stop);

} // namespace flcc::plan
