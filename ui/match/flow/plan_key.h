#pragma once

#include "engine/job/job.h"

namespace flcc::ui {

/// The part of a job that its plan depends on.
[[nodiscard]] job::Job planKey(const job::Job& whole);

} // namespace flcc::ui
