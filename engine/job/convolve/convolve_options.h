#pragma once

#include "engine/job/convolve_job.h"
#include "engine/job/options/option_table.h"

namespace flcc::job::detail {

/// The options of `convolve`.
[[nodiscard]] const OptionTable<ConvolveJob>& convolveOptions();

} // namespace flcc::job::detail
