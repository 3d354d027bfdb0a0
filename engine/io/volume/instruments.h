#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/io/format/formats.h"
#include "engine/io/format/voxel_place.h"

// Fixed headers of programs and instruments, and whether a file begins like one. **Errors**: Input.

namespace flcc::io::detail {

/// MGH of FreeSurfer, also packed by gzip (MGZ).
[[nodiscard]] Described describeMgh(const std::filesystem::path& path);
[[nodiscard]] bool isMgh(const FileStart& start);

} // namespace flcc::io::detail
