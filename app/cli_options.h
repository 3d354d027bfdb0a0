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
    std::string name;     ///< "--threads"
    std::string value;    ///< what stands for its value in a sentence: "N"; empty for a switch
    bool repeats = false; ///< may be given several times
};

/// Options by name, each with its value, "" of a switch; one that repeats has an entry a time, in
/// the order given.
using OptionValues = std::multimap<std::string, std::string>;

/// The options in `args`: `--name value` or `--name=value`. **Errors**: CommandLine for an option
/// that `command` does not know, one given twice that does not repeat, and a value that is missing
/// or too much.
[[nodiscard]] OptionValues optionsOf(const std::string& command,
                                     const std::vector<KnownOption>& known,
                                     const std::vector<std::string>& args);

/// The number that `text` is. **Errors**: CommandLine for what is none from `least` to `most`.
[[nodiscard]] std::int64_t wholeNumber(const std::string& option, std::string_view text,
                                       std::int64_t least, std::int64_t most);
/// The value of `--threads`; 0, for all, where it is not given.
[[nodiscard]] int threadsOf(const OptionValues& options);
/// The value of `--device`; "auto" where it is not given.
[[nodiscard]] std::string deviceOf(const OptionValues& options);

[[noreturn]] void refuse(const std::string& sentence); ///< **Errors**: CommandLine, always

/// Writes to standard output. **Errors**: Output for a closed pipe or a full disk.
void print(const std::string& text);

/// **Errors**: Output where the folder of `file` does not exist.
void requireFolderOf(const std::filesystem::path& file);

} // namespace flcc::app
