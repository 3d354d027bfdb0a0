#pragma once

#include <cstdint>
#include <vector>

#include "tests/engine/cpu/kinds.h"

/// Problems made to break the bound of transforms.
namespace flcc::test {

enum class Along { X, Y };

/// The template is what a transform in float rounds off: along y the scene is `line`; along x
/// `line` is the first of 512 rows, whose columns have one spectrum each, so that all rows of
/// spectra err as it does. The template is that error, from point `from` to before `to`.
[[nodiscard]] Submitted problemOfRoundings(Along along, const std::vector<double>& line,
                                           std::int64_t from, std::int64_t to);

/// Likewise of a line of `length` points of few levels but for weak ones around a window of
/// `window` points. Levels and where they change their height are varied at random `steps` times,
/// 16 candidates each, and what comes closest to the bound is kept.
[[nodiscard]] Submitted problemClimbed(Along along, std::int64_t length, std::int64_t window,
                                       int steps, std::uint64_t seed);

/// Bright matches all along a row of the scene, whose signs are those that their ghosts have at
/// `target`: what transforms along x err is the same for all rows of spectra, so that these add up
/// there, where the scene is weak.
[[nodiscard]] Submitted problemOfGhosts(const base::Extents& extents, std::int64_t target);

} // namespace flcc::test
