#pragma once

#include <string>
#include <string_view>

#include "engine/io/lists/preset.h"

namespace flcc::io::detail::lists {

/// A binary model of IMOD with one object of scattered points.
[[nodiscard]] std::string modelText(const PositionList& list, const Preset& preset);

/// The points of all contours of all objects. **Errors**: Input with `name`, also for a model made
/// on voxels of another size than those of the scene.
/// **Source**: IMOD, "Specifications for a Binary IMOD File", version 1.2.
void takeModel(std::string_view bytes, const Preset& preset, PositionList& list,
               const std::filesystem::path& name);

} // namespace flcc::io::detail::lists
