#pragma once

#include <filesystem>
#include <string>

namespace flcc::job::detail {

/// Reads a regular file of up to 64 MiB as text. `what` is its name in the error: "job file".
/// **Errors**: Input for a larger file, and for a path that cannot be read or is no regular file.
[[nodiscard]] std::string readTextFile(const std::filesystem::path& path, const char* what);

} // namespace flcc::job::detail
