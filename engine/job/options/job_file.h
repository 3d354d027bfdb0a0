#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/command_line.h"

namespace flcc::job::detail {

/// An option of a job file with its values as texts.
struct FileValue {
    std::string name;
    ValueKind kind = ValueKind::Text;
    std::vector<std::string> texts; ///< not empty; several of an option that may be repeated
};

/// How an option stands in a job file.
struct FileShape {
    ValueKind kind = ValueKind::Text;
    bool repeats = false; ///< a text or a list of texts
};

/// The job file of a command: JSON with the options as keys and, unless the command is match, the
/// key "command".
[[nodiscard]] std::string jobFile(const std::string& command, const std::vector<FileValue>& values);

/// The values of such a file; `shapeOf` is empty for an unknown option.
/// **Errors**: Input for a text that is not JSON; CommandLine for an unknown option, the file of
/// another command, and for a value of the wrong type.
[[nodiscard]] GivenOptions
valuesOfJobFile(const std::string& command, std::string_view text,
                const std::function<std::optional<FileShape>(std::string_view)>& shapeOf);

} // namespace flcc::job::detail
