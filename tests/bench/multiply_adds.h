#pragma once

#include "engine/base/tile_pool.h"

namespace flcc::bench {

/// Multiply-adds of float a nanosecond that all threads of `pool` reach together in registers, in
/// the widest vectors of the machine: the limit of every method by definition.
/// **Cost**: half a second.
[[nodiscard]] double peakMultiplyAddsPerNs(base::TilePool& pool);

} // namespace flcc::bench
