#pragma once

#include "engine/selftest/detail/case_run.h"

namespace flcc::selftest {

/// Templates with masks: a disc with panels that are constant under it, a support of two separate
/// parts, NaN beside the support.
void masks(CaseRun& run);

/// Placements that leave a scene of a high level, or its mask, with each `--outside`.
void borders(CaseRun& run);

} // namespace flcc::selftest
