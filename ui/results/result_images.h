#pragma once

#include <QString>

#include "engine/base/pixels.h"
#include "engine/method/match_map.h"

namespace flcc::ui {

/// The formats in which images are written, as filters of a file dialog.
[[nodiscard]] QString imageFilters();

/// The status map as the bytes of its file.
[[nodiscard]] base::AnyImage statusBytes(const method::MatchMap& map);

} // namespace flcc::ui
