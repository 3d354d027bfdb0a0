#pragma once

#include <cstdint>

#include "engine/job/input/inputs.h"

namespace flcc::job::detail {

/// Bytes that a pruned search over the poses of these templates takes; an estimate.
[[nodiscard]] std::int64_t prunedBytes(const Inputs& inputs);

} // namespace flcc::job::detail
