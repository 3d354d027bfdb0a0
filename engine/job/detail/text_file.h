#pragma once

#include <filesystem>
#include <string>

namespace flcc::job::detail {

/// Reads a regular file as text. `what` is its name in the error: "job file". **Errors**: Input for
/// a path that cannot be read or is not a regular file.
[[nodiscard]] std::string readTextFile(const std::filesystem::path& path, const char* what);

} // namespace flcc::job::detail
