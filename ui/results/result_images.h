#pragma once

#include <QString>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/job/job.h"

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

} // namespace flcc::ui
