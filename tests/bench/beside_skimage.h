#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/tile_pool.h"

namespace flcc::bench {

/// This program beside scikit-image's match_template on volumes, noise and a head, calls
/// alternating: prints a table in Markdown and returns its rows. Medians of `repeat`, of 3 where a
/// call takes over five seconds. `large` adds 513x513x513 (Eibl) at the end, which takes 10 GiB and
/// counts in no mean.
[[nodiscard]] nlohmann::json compareVolumes(bool large, base::TilePool& pool, int repeat);

} // namespace flcc::bench
