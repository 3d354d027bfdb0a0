#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

#include "engine/base/tile_pool.h"
#include "engine/method/method.h"

namespace flcc::plan {

/// What a candidate cost on a scene of noise: medians over its turns, nanoseconds.
struct Probe {
    method::Problem problem;
    method::Candidate candidate;
    double outputs = 0;   ///< placements
    double executeNs = 0; ///< by the clock on the wall
    double prepareNs = 0;
    double workspaceNs = 0;
    std::map<std::string, double> stages; ///< summed over threads
    bool stopped = false;

    [[nodiscard]] double stage(const std::string& name) const {
        const auto found = stages.find(name);
        return found == stages.end() ? 0 : found->second;
    }
    /// Of all stages.
    [[nodiscard]] double workNs() const;
};

/// Runs a method `turns` times, and once before, on noise of the given extents with a template cut
/// from it. A `tile` of 0 leaves the tile to the method.
[[nodiscard]] Probe probe(const method::Method& method, const base::Extents& scene,
                          const base::Extents& templ, const base::Extents& tile, int turns,
                          base::TilePool& pool, const std::stop_token& stop);

} // namespace flcc::plan
