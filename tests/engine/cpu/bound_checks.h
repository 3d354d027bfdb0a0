#pragma once

#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>

#include "tests/engine/cpu/kinds.h"

/// Checks that the error bounds (engine/method/NUMERICS.md, section 5) hold for single voxels, and
/// that they are not so large as to be useless.
namespace flcc::test {

/// The result of a search for voxels beyond their bounds.
struct BoundSearch {
    std::string fault;       ///< the first voxel that lies beyond its bound, in words
    std::int64_t voxels = 0; ///< judged by the oracle
    double worst = 0;        ///< largest error over the bound, known within the step of promises
    std::string worstWay;    ///< that had it
};

/// Takes `count` seeded voxels of a problem, their exact scores from the oracle, and runs some of
/// the ways with promises that fall by factors of two and no recomputing: a voxel that is not
/// marked LOWCONF has a bound below the promise, so its error must be too.
void searchBeyondBounds(const Submitted& submitted, int count, std::uint64_t seed,
                        BoundSearch& search);

/// Likewise over every voxel, in single precision by all ways or those of a method, with promises
/// that fall by factors of `step`; what is right is what `direct` says in double.
void searchWholeMaps(const Submitted& submitted, BoundSearch& search, std::string_view method = {},
                     double step = std::numbers::sqrt2);

/// A problem of the cases that concentrate errors: one count over a high level, wide integers,
/// stripes with a template of another frequency across; or one of the kinds.
[[nodiscard]] Submitted problemForBounds(std::uint64_t seed);

/// A seeded problem of few levels: steps, stripes, checks or lines with little contrast on them,
/// and a template of two levels that varies otherwise, up to 300 squared. What is equal errs
/// equally, so that errors add up where those of noise cancel.
[[nodiscard]] Submitted problemOfPatterns(std::uint64_t seed);

/// A seeded problem of any size, pixel type, texture, offset and contrast (log-uniform), with NaN
/// or Inf in some; judged over every voxel of every way on one instruction set. Empty when all is
/// as promised.
[[nodiscard]] std::string judgeRandom(std::uint64_t seed);

} // namespace flcc::test
