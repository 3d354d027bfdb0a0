#pragma once

#include "engine/method/cost_model.h"
#include "engine/plan/report.h"

namespace flcc::plan {

/// The critical template size of the scene of a plan, for square or cubic templates: by the model,
/// and by the model put right by the times of `direct` and of a Fourier method in the report.
/// **Source**: FLCC Table II. **Cost**: some hundred predictions.
[[nodiscard]] CriticalSize criticalSize(const PlanReport& report, const method::CostModel& model);

} // namespace flcc::plan
