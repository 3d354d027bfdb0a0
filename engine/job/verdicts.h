#pragma once

#include <cstdint>
#include <optional>

#include "engine/plan/report.h"

namespace flcc::job {

/// The smallest host memory in bytes with which a candidate of the plan could run if memory were
/// its only limit; empty if none could. GPUs count only if the plan has no candidate of the
/// processor.
[[nodiscard]] std::optional<std::int64_t> leastMemory(const plan::PlanReport& plan);

} // namespace flcc::job
