#pragma once

#include <string>

#include "engine/io/lists/preset.h"

namespace flcc::io::detail::lists {

/// Why what was read back differs from what was written; empty if it does not.
[[nodiscard]] std::string difference(const PositionList& written, const PositionList& read,
                                     const Preset& preset);

} // namespace flcc::io::detail::lists
