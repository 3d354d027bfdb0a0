#pragma once

#include "engine/selftest/detail/case_run.h"

namespace flcc::selftest {

/// The cases of operations other than lcc.
void operations(CaseRun& run);
void operationLevels(CaseRun& run);
void operationBorders(CaseRun& run);

} // namespace flcc::selftest
