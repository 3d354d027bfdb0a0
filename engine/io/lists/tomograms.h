#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/list_file.h"
#include "engine/io/lists/preset.h"

/// Which tilt series the rows of a list belong to.
namespace flcc::io::detail::lists {

/// What the reader of a written list must know of the name of its tomogram, and of M.
[[nodiscard]] std::vector<std::string> tomogramNotes(const Preset& preset,
                                                     const PositionList& list);

/// The rows of the series that the scene is of, by the names that they carry, one a row; all rows
/// where all carry one name. Says in `list.notes` what was left out. **Errors**: Input where rows
/// are of several series and none is that of the scene, or the wanted one.
[[nodiscard]] std::vector<std::size_t> rowsOfScene(const std::vector<std::string>& names,
                                                   PositionList& list,
                                                   const std::filesystem::path& file);

} // namespace flcc::io::detail::lists
