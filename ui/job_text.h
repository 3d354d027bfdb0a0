#pragma once

#include <QString>

#include "engine/io/peak_file.h"
#include "ui/document.h"

namespace flcc::ui {

/// What the peaks of a result belong to, for files and the clipboard.
[[nodiscard]] io::PeakContext peakContext(const ResultEntry& result);

/// `settings` with the document's scenes and templates in it.
[[nodiscard]] job::Job jobOf(const Document& document, job::Job settings);

/// `job`, which has the document's scenes and templates in it, for a shell. A built-in sample is
/// written to files first.
[[nodiscard]] QString commandLineOf(const Document& document, job::Job job);

} // namespace flcc::ui
