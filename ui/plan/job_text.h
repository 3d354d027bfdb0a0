#pragma once

#include <QString>

#include "engine/io/peak_file.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// The scene, templates and options that the peaks of a result belong to, for files and the
/// clipboard.
[[nodiscard]] io::PeakContext peakContext(const ResultEntry& result);

/// `settings` with the document's scenes, templates and masks filled in.
[[nodiscard]] job::Job jobOf(const Document& document, job::Job settings);

/// `job`, filled in by jobOf(), as a shell command. For a built-in sample, the command first writes
/// the sample to files.
[[nodiscard]] QString commandLineOf(const Document& document, job::Job job);

/// The name of the first template that a job cannot name: it was neither cut from the scene nor
/// opened from a file, and is not the template of the scene's sample. Empty if there is none.
/// True if every opened template has, or was brought to, the spacing of the scene, so that
/// Job::resample makes the same templates of the files.
[[nodiscard]] bool resamplesAll(const Document& document);
[[nodiscard]] QString templateWithoutFile(const Document& document);

/// The name of the first scene that a job cannot name, as no file holds it. Empty if there is none.
[[nodiscard]] QString sceneWithoutFile(const Document& document);

/// Why a job file or a command line cannot name the masks: one was drawn and is in no file. Empty
/// if they can.
[[nodiscard]] QString maskWithoutFile(const Document& document);

/// Why no job file can hold the images of the document, as a sentence; empty if one can.
[[nodiscard]] QString reasonAgainstJobFile(const Document& document);

} // namespace flcc::ui
