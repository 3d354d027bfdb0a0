#pragma once

#include "engine/job/features.h"
#include "engine/job/options/option_table.h"

namespace flcc::job::detail {

/// The options of `features`.
[[nodiscard]] const OptionTable<FeaturesJob>& featuresOptions();

} // namespace flcc::job::detail
