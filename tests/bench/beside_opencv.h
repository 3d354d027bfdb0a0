#pragma once

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"

namespace flcc::bench {

/// This program beside OpenCV's matchTemplate(TM_CCOEFF_NORMED) with as many threads, calls
/// alternating, medians of `repeat`: prints a table in Markdown and returns its rows.
/// The first is noise and a picture of 2000x2000 and a sample; the second is scenes of 512, 2000
/// and 4096 squared with templates of 4 to 256 squared, in pixels of `type`; of those only the ones
/// whose SCENE/TEMPLATE stands in `cells`, unless that is empty.
[[nodiscard]] nlohmann::json compare(base::TilePool& pool, int repeat);
[[nodiscard]] nlohmann::json compareGrid(base::PixelType type, const std::set<std::string>& cells,
                                         base::TilePool& pool, int repeat);

} // namespace flcc::bench
