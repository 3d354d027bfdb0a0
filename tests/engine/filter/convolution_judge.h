#pragma once

#include <string>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/filter/planner.h"

/// Convolutions by every method, compared with the definition.
namespace flcc::test {

/// A problem for a scene and a kernel.
[[nodiscard]] filter::Problem problemOf(const base::AnyImage& scene, const filter::Kernel& kernel,
                                        method::Extent extent, filter::Border border,
                                        method::Precision precision);

/// All candidates of `method` ("": of every method) that are not refused.
[[nodiscard]] std::vector<method::Candidate>
waysOf(const filter::Problem& problem, const filter::Kernel& kernel, const base::AnyImage& scene,
       const std::string& method = "", const base::Extents& tile = {0, 0, 0});

/// Compares every voxel of `result` with the definition: within its bound, and NaN where NaN or Inf
/// is under the kernel and nowhere else. Empty, or what is wrong.
[[nodiscard]] std::string faultOf(const filter::Convolved& result, const filter::Problem& problem,
                                  const filter::Kernel& kernel, const base::AnyImage& scene);

/// Runs every way in both precisions with every border and extent that fits. Empty, or what is
/// wrong.
[[nodiscard]] std::string judgeConvolution(const base::AnyImage& scene,
                                           const filter::Kernel& kernel);

/// The pool of two threads that the tests share.
[[nodiscard]] base::TilePool& testPool();

} // namespace flcc::test
