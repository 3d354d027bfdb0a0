#pragma once

#include <string>
#include <string_view>

#include "engine/io/lists/preset.h"

namespace flcc::io::detail::lists {

/// A ROI set of ImageJ: a zip archive with a point for each position, named after its rank and
/// score. Coordinates are stored as floats, slices as whole numbers.
[[nodiscard]] std::string roiSetText(const PositionList& list, const Preset& preset);
/// Reads an archive, stored or deflated, or a single .roi file. **Errors**: Input with `name`.
void takeRoiSet(std::string_view bytes, const Preset& preset, PositionList& list,
                const std::filesystem::path& name);

} // namespace flcc::io::detail::lists
