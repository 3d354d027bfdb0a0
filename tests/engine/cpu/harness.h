#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/reference/score.h"
#include "engine/selftest/detail/judge.h"
#include "tests/support/method_run.h"
#include "tests/support/scenes.h"

/// The tests of this folder name no method: whatever stands in the planner's table is run, with
/// every candidate it accepts, and judged.
namespace flcc::test {

/// The methods that are judged: those of the planner's table, or with FLCC_TEST_METHODS=device in
/// the environment those of a device that is stood in for.
[[nodiscard]] const std::vector<const method::Method*>& judgedMethods();
/// Whether they take scenes of a type, and templates whose voxels have weights; of others nothing
/// is judged. Beside judgedMethods().
[[nodiscard]] bool areJudged(base::PixelType scene, bool weighted);

/// Every accepted way of the table for matching `templ` in `scene` on two threads.
[[nodiscard]] std::vector<Way> waysFor(const method::MaskedView& scene,
                                       const method::MaskedView& templ,
                                       const base::Extents& tile = {0, 0, 0},
                                       const Asked& asked = {});

/// Runs `way` and judges every voxel by the definition, or, for integers, without any rounding.
/// Empty when all is as promised, else the first fault.
[[nodiscard]] std::string judge(const Way& way, const method::MaskedView& scene,
                                const method::MaskedView& templ,
                                const reference::ScoreMap& expected);

/// What it must be: without rounding where integers can hold it.
[[nodiscard]] reference::ScoreMap judged(const method::MaskedView& scene,
                                         const method::MaskedView& templ, const Asked& asked = {});

/// Runs every way and judges every voxel; a fault when there is no way at all.
[[nodiscard]] std::string judgeAll(const method::MaskedView& scene, const method::MaskedView& templ,
                                   const base::Extents& tile = {0, 0, 0}, const Asked& asked = {});

/// Runs every way and judges `count` seeded voxels and those of `places`, without rounding for
/// integers; for scenes too large to judge whole.
[[nodiscard]] std::string judgeSampled(const method::MaskedView& scene,
                                       const method::MaskedView& templ,
                                       const std::vector<base::Index>& places, int count);

/// The four pixel types that have kernels of their own.
[[nodiscard]] const std::vector<base::PixelType>& kernelTypes();

} // namespace flcc::test
