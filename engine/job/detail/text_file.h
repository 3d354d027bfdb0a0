#pragma once

#include <filesystem>
#include <string>

namespace flcc::job::detail {

/// The text of an ordinary file, which `what` names in the error: "job file". **Errors**: Input for
/// what cannot be read or is no ordinary file.
[[nodiscard]] std::string readTextFile(const std::filesystem::path& path, const char* what);

} // namespace flcc::job::detail
