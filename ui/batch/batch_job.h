#pragma once

#include <filesystem>

#include "engine/job/batch.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// What a batch needs of a document: taken on the GUI thread.
struct BatchInputs {
    job::Job job; ///< of the window
    RunInputs inputs;
    base::Geometry scene; ///< of the first scene
    std::vector<std::filesystem::path> files;
    std::filesystem::path folder; ///< of all that is written
    bool maps = false;
};

/// The batch: templates and masks that are in no file are written to the folder, and the job as
/// job.json. **Threads**: any. **Errors**: as io::writeImage(); Problem without a template.
[[nodiscard]] job::Batch batchOf(const BatchInputs& from);

} // namespace flcc::ui
