#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/tile_pool.h"

namespace flcc::bench {

/// What the planner chose against the best of all candidates, forced one by one: 60 problems in 2D
/// and 3D, templates of 2 to 256, scenes of 64 to 4096, whose best time is 0.2 ms or more. Prints a
/// table in Markdown and its summary; returns the rows. `repeat` times for a median; fewer when one
/// takes over a second. Knowledge of this machine is used as a job uses it.
[[nodiscard]] nlohmann::json measureChoices(base::TilePool& pool, int repeat);

} // namespace flcc::bench
