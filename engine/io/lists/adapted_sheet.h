#pragma once

#include "engine/io/lists/text_lists.h"

namespace flcc::io::detail::lists {

/// The table of another program with the columns that its format has here: axes of napari that are
/// not those of the scene left out, contours of IMOD too, the slice of ImageJ by the column that
/// tells it, coordinates of Warp between 0 and 1 multiplied by the extents of the scene. Notes say
/// what was taken. **Errors**: Input for positions of several images and for other kinds of tables.
[[nodiscard]] Sheet adaptedSheet(Sheet sheet, const Preset& preset, PositionList& list,
                                 const std::filesystem::path& name);

} // namespace flcc::io::detail::lists
