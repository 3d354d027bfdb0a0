#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/options/options.h"

namespace flcc::job::detail {

/// A value of a job file.
struct FileValue {
    std::string name;
    ValueKind kind = ValueKind::Text; ///< Text, Integer or Number
    std::string text;
};

/// The job file of a command: JSON with the key "command" and the options as keys.
[[nodiscard]] std::string commandFile(const std::string& command,
                                      const std::vector<FileValue>& values);

/// The values of such a file by the names of their options. **Errors**: Input for a text that is
/// not JSON; CommandLine for the file of another command and for a value of the wrong kind, beside
/// what `kindOf` throws for an unknown name.
[[nodiscard]] std::map<std::string, std::string>
readCommandFile(const std::string& command, std::string_view text,
                const std::function<ValueKind(const std::string&)>& kindOf);

} // namespace flcc::job::detail
