#pragma once

#include "engine/selftest/detail/case_run.h"

namespace flcc::selftest {

/// Templates under masks: a disc, parts that are constant apart, NaN beside the support.
void masks(CaseRun& run);

/// Placements that leave a scene of a high level, or its mask, by every rule.
void borders(CaseRun& run);

} // namespace flcc::selftest
