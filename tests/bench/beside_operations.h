#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/tile_pool.h"

namespace flcc::bench {

/// The operations of a match on noise of 2000x2000 with a template of 32x32, uint8 and float32,
/// beside OpenCV's matchTemplate in its other modes; absolute differences, which OpenCV does not
/// have, beside a plain loop. Calls alternate. Prints a table in Markdown and returns its rows.
[[nodiscard]] nlohmann::json compareOperations(base::TilePool& pool, int repeat);

} // namespace flcc::bench
