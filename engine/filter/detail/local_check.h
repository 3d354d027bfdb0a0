#pragma once

#include <cstdint>

#include "engine/filter/detail/filter_method.h"

/// Results that the errors of distant voxels spoil.
namespace flcc::filter::detail {

/// What checkLocally() found. **Units**: the largest magnitude under the kernel (of integers at
/// least 1) times sum |weights|, of each result its own.
struct LocalFindings {
    bool cancelled = false;
    double largest = 0;        ///< bound on the error of a result
    std::int64_t repeated = 0; ///< results that were computed again
};

/// The spread error that a result of this precision may keep.
[[nodiscard]] double mostSpread(method::Precision precision);

/// Compares the spread errors of `outcome` with the voxels under the kernel of each result. A block
/// with a result of more than `most` (or Outcome::mostSpread, if that is above 0) is computed
/// again: by `separable` if the kernel has terms, else by `direct`. A result of a
/// floating-point scene without a voxel other than 0 under its kernel becomes 0.
template <class Real>
[[nodiscard]] LocalFindings checkLocally(const Task<Real>& task, const Outcome& outcome,
                                         double most);

/// Bytes of checkLocally(), beside the result.
[[nodiscard]] std::int64_t checkBytes(const Problem& problem, const Kernel& kernel, int threads);

} // namespace flcc::filter::detail
