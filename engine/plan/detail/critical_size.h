#pragma once

#include "engine/method/cost_model.h"
#include "engine/plan/report.h"

namespace flcc::plan {

/// The critical template size for the scene of a plan: by the cost model, and by the model
/// corrected by the measured times of `direct` and of the best Fourier method in the report.
/// **Source**: FLCC Table II. **Cost**: some hundred predictions.
[[nodiscard]] CriticalSize criticalSize(const PlanReport& report, const method::CostModel& model);

} // namespace flcc::plan
