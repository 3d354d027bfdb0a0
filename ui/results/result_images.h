#pragma once

#include <QString>

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/job/job.h"
#include "ui/document/entries.h"

namespace flcc::ui {

/// The formats in which images are written, as filters of a file dialog.
[[nodiscard]] QString imageFilters();

/// The status map as the bytes of its file.
[[nodiscard]] base::AnyImage statusBytes(const method::MatchMap& map);

/// What the file of a map states of a part of a search; empty for a finished one.
[[nodiscard]] std::map<std::string, std::string> metadataOf(const job::JobResult& result);

/// The sentences on a written file, with one that says that the result is unfinished.
[[nodiscard]] std::optional<std::vector<std::string>>
withWarning(std::optional<std::vector<std::string>> sentences, const job::JobResult& result);

/// The report of a result with what was decided on its peaks.
[[nodiscard]] job::JobReport judgedReport(const ResultEntry& result);

/// A result that can be drawn: with the decisions and with the pixels of its scene, which are read
/// again where a run over several scenes did not keep them. `scenes`: Document::scenes().
/// **Errors**: those of reading; Problem where the file is another one by now.
[[nodiscard]] job::JobResult drawable(const ResultEntry& result,
                                      const std::vector<SceneEntry>& scenes,
                                      const std::stop_token& stop);

} // namespace flcc::ui
