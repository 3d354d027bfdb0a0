#pragma once

#include <QString>

#include <stop_token>

#include "engine/job/job.h"

namespace flcc::ui {

/// Writes the job of a search as `search.json` into the folder that keeps the finished part of the
/// search (Poses::resume), so that another start of the program goes on. Images that are in no file
/// are written beside it as `search-scene.nrrd`, `search-template-0.nrrd` and so on. Returns a
/// sentence on how to go on, or on why nothing was written. **Threads**: any. **Cost**: writes the
/// images that are in no file.
[[nodiscard]] QString keepJob(const job::Job& job, const job::JobImages& images,
                              const std::stop_token& stop);

} // namespace flcc::ui
