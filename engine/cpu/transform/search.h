#pragma once

#include <stop_token>

#include "engine/base/tile_pool.h"
#include "engine/method/method.h"

namespace flcc::cpu {

/// Lets FFTW search for the best plans for a candidate, in float or in double, on the threads of
/// `pool`. Takes seconds, but no time for plans that wisdom holds, without FFTW, or for parts of
/// method dif.
void searchTransforms(const method::Candidate& candidate, bool inDouble, base::TilePool& pool,
                      const std::stop_token& stop);

} // namespace flcc::cpu
