#pragma once

#include <QString>

#include "engine/job/any_job.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// Names the file of a scene, and how it is read, in a job.
void putScene(job::Common& job, const SceneEntry& scene);

/// Why a job file cannot name a scene that is in no file.
[[nodiscard]] QString unsavedScene(const SceneEntry& scene);

/// Puts a job on the clipboard as a line for a shell, and returns a sentence that says so.
[[nodiscard]] QString copyCommandLine(const job::AnyJob& job);

/// Writes a job file and returns a sentence that says so. Neither the file nor an output of the job
/// may replace one of `inputs`. **Errors**: as io::writeText(); CommandLine.
[[nodiscard]] QString saveJobFile(const job::AnyJob& job, const QString& file,
                                  const io::ProtectedFiles& inputs);

} // namespace flcc::ui
