#pragma once

#include <filesystem>
#include <vector>

#include "engine/io/format/formats.h"

namespace flcc::io::detail {

/// Whether OpenSlide is to read the file: a slide by its first bytes and its extension, or a tiled
/// pyramid of colours in TIFF that is too large to be read whole. A build without OpenSlide leaves
/// slides that are TIFF files to libtiff. **Errors**: Input.
[[nodiscard]] bool isSlide(const FileStart& start);

/// The other files of a slide: the folder beside a ".mrxs" file, the pictures that a ".vms" or
/// ".vmu" file names.
[[nodiscard]] std::vector<std::filesystem::path> slideFiles(const std::filesystem::path& path);

} // namespace flcc::io::detail
