#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "engine/io/files/read_files.h"
#include "engine/io/format/reading.h"
#include "engine/io/format/voxel_place.h"

namespace flcc::io::detail {

/// The header of a format that our own code reads; empty for another format. **Errors**: Input;
/// Stopped.
[[nodiscard]] std::optional<Described> describedBy(const std::filesystem::path& path, Format format,
                                                   const std::stop_token& stop);

/// Adds the files that the image is read from, except those of a DICOM series. **Errors**: Input.
void addFiles(ReadFiles& files, const std::filesystem::path& path, const std::stop_token& stop);

} // namespace flcc::io::detail
