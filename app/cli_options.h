#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/command_line.h"

namespace flcc::app {

/// The options of a command without plain arguments. **Errors**: as job::splitArguments();
/// CommandLine for a plain argument.
[[nodiscard]] job::GivenOptions optionsAlone(const std::string& command,
                                             const std::vector<job::CommandOption>& known,
                                             const std::vector<std::string>& args);

/// `text`, the value of an option, as a number. **Errors**: CommandLine unless it is a whole number
/// from `least` to `most`.
[[nodiscard]] std::int64_t wholeNumber(const std::string& option, std::string_view text,
                                       std::int64_t least, std::int64_t most);
/// The value of an option, or `otherwise` if it is not given.
[[nodiscard]] std::int64_t wholeNumber(const job::GivenOptions& options, const std::string& option,
                                       std::int64_t least, std::int64_t most,
                                       std::int64_t otherwise);
/// The value of `--threads`; 0 (all threads) if the option is not given.
[[nodiscard]] int threadsOf(const job::GivenOptions& options);
/// The value of `--device`; `otherwise` if the option is not given.
[[nodiscard]] std::string deviceOf(const job::GivenOptions& options,
                                   const std::string& otherwise = "auto");

[[noreturn]] void refuse(const std::string& sentence); ///< **Errors**: CommandLine, always

/// Writes to a descriptor without a buffer; false, with errno, if that fails.
[[nodiscard]] bool writeAll(int file, std::string_view text);

/// Writes what a program may read to standard output, byte for byte; on a terminal, which would
/// obey control characters of a foreign list, by base::visibleText(). **Errors**: Output for a
/// closed pipe or a full disk.
void print(const std::string& text);
/// Writes sentences for people to standard output, always by base::visibleText(): they hold names
/// and cells of foreign files. **Errors**: as print().
void say(const std::string& text);
/// The same to standard error, without errors.
void complain(const std::string& text);

/// Checks the folder of `file`. **Errors**: Output if the folder does not exist.
void requireFolderOf(const std::filesystem::path& file);

} // namespace flcc::app
