#pragma once

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"

namespace flcc::bench {

/// How two programs alternate.
struct Turns {
    int count = 7;
    double leastMs = 0; ///< each goes on for that long, once at least
    std::string ipp{};  ///< a Python with the package ipp: the other one is Intel IPP, not OpenCV
};

/// This program beside OpenCV's matchTemplate(TM_CCOEFF_NORMED), or Intel IPP's ippiCrossCorrNorm
/// by the fastest of its ways, with as many threads, alternating,
/// medians of the turns' means: prints a table in Markdown and returns its rows.
/// The first is noise and a picture of 2000x2000 and a sample; the second is scenes of 512, 2000
/// and 4096 squared with templates of 4 to 256 squared, in pixels of `type`; of those only the ones
/// whose SCENE/TEMPLATE stands in `cells`, unless that is empty.
[[nodiscard]] nlohmann::json compare(base::TilePool& pool, const Turns& turns);
[[nodiscard]] nlohmann::json compareGrid(base::PixelType type, const std::set<std::string>& cells,
                                         base::TilePool& pool, const Turns& turns);

} // namespace flcc::bench
