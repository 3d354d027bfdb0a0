#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flcc::app {

/// An option of a command that runs no job.
struct KnownOption {
    std::string name;  ///< "--threads"
    std::string value; ///< what stands for its value in a sentence: "N"; empty for a switch
};

/// The options in `args` by name, each with its value, "" of a switch: `--name value` or
/// `--name=value`. **Errors**: CommandLine for what `command` does not know, what is given twice,
/// and a value that is missing or too much.
[[nodiscard]] std::map<std::string, std::string> optionsOf(const std::string& command,
                                                           const std::vector<KnownOption>& known,
                                                           const std::vector<std::string>& args);

/// The number that `text` is. **Errors**: CommandLine for what is none from `least` to `most`.
[[nodiscard]] std::int64_t wholeNumber(const std::string& option, std::string_view text,
                                       std::int64_t least, std::int64_t most);
/// The value of `--threads`; 0, for all, where it is not given.
[[nodiscard]] int threadsOf(const std::map<std::string, std::string>& options);
/// The value of `--device`; "auto" where it is not given.
[[nodiscard]] std::string deviceOf(const std::map<std::string, std::string>& options);

[[noreturn]] void refuse(const std::string& sentence); ///< **Errors**: CommandLine, always

/// Writes to standard output. **Errors**: Output for a closed pipe or a full disk.
void print(const std::string& text);

/// **Errors**: Output where the folder of `file` does not exist.
void requireFolderOf(const std::filesystem::path& file);

} // namespace flcc::app
