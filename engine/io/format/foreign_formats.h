#pragma once

#include <string>

#include "engine/io/format/formats.h"

namespace flcc::io::detail {

/// Of a file in a format that is known and cannot be read: which one it is, and what to do, as the
/// rest of a sentence that begins with the file's name. Empty for others. `size`: of the file.
[[nodiscard]] std::string foreignFormat(const FileStart& start, std::int64_t size);

/// The same of a folder.
[[nodiscard]] std::string foreignFolder(const std::filesystem::path& folder);

} // namespace flcc::io::detail
