#pragma once

#include <filesystem>
#include <fstream>

namespace flcc::base {

/// The file opened for reading bytes; a stream that failed where it cannot be opened.
/// **Errors**: std::bad_alloc where memory for the stream was refused. A stream alone does not tell
/// that from a file that is missing.
[[nodiscard]] std::ifstream openFile(const std::filesystem::path& path);

} // namespace flcc::base
