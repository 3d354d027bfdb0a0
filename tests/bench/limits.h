#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/tile_pool.h"

namespace flcc::bench {

/// How far 2000x2000 is from what the machine allows, in medians of `repeat`: the numerators of
/// `direct` with 16x16 against the peak of multiply-adds, its whole time against its numerators,
/// and the whole time of `tiled` with 32x32 and 64x64 against its FFTW transforms alone, of the
/// same tiles on as many threads. Prints tables in Markdown and returns the rows.
[[nodiscard]] nlohmann::json measureLimits(base::TilePool& pool, int repeat);

} // namespace flcc::bench
