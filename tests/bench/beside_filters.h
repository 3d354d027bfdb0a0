#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/tile_pool.h"

namespace flcc::bench {

/// Convolutions and filters of a float32 image of 2000x2000 beside OpenCV with as many threads,
/// alternating: filter2D, sepFilter2D, GaussianBlur, blur. Volumes, which OpenCV does not filter,
/// are timed alone. Prints a table in Markdown and returns its rows.
[[nodiscard]] nlohmann::json compareFilters(base::TilePool& pool, int repeat);

} // namespace flcc::bench
