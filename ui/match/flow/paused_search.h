#pragma once

#include <QString>

#include <cstdint>

#include "engine/job/job.h"

namespace flcc::ui {

/// Writes the job of a search that was stopped as `search.json` into the folder that keeps its
/// finished part, and returns a sentence on how to go on. A job whose scene, templates or masks are
/// in no file is not written.
[[nodiscard]] QString pauseSearch(const job::Job& job, std::int64_t searched, std::int64_t of);

} // namespace flcc::ui
