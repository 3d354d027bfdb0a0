#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flcc::app {

/// An option of a command that does not run a job.
struct KnownOption {
    std::string name;     ///< "--threads"
    std::string value;    ///< placeholder of its value in messages: "N"; empty for a switch
    bool repeats = false; ///< true if the option may be given several times
};

/// Values by option name; the value of a switch is "". A repeated option has one entry for each
/// time, in the order given.
using OptionValues = std::multimap<std::string, std::string>;

/// The arguments of a command that does not run a job.
struct CommandArguments {
    OptionValues options;
    std::vector<std::string> plain; ///< names of files and the like, in the order given
};

/// Splits `args` into options (`--name value` or `--name=value`) and plain arguments. After "--"
/// all arguments are plain; before it, one that begins with "-" is an option, "-" alone excepted.
/// **Errors**: CommandLine for an unknown option, an option given twice that does not repeat, a
/// missing value, and a value for a switch.
[[nodiscard]] CommandArguments argumentsOf(const std::string& command,
                                           const std::vector<KnownOption>& known,
                                           const std::vector<std::string>& args);

/// The options of a command without plain arguments. **Errors**: as argumentsOf(); CommandLine for
/// a plain argument.
[[nodiscard]] OptionValues optionsOf(const std::string& command,
                                     const std::vector<KnownOption>& known,
                                     const std::vector<std::string>& args);

/// `text` as a number. **Errors**: CommandLine unless it is a whole number from `least` to `most`.
[[nodiscard]] std::int64_t wholeNumber(const std::string& option, std::string_view text,
                                       std::int64_t least, std::int64_t most);
/// The value of `--threads`; 0 (all threads) if the option is not given.
[[nodiscard]] int threadsOf(const OptionValues& options);
/// The value of `--device`; "auto" if the option is not given.
[[nodiscard]] std::string deviceOf(const OptionValues& options);

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
