#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"

/// Command lines of every command: what may stand on them, what stands there, and how a line is
/// written for a shell.
namespace flcc::job {

/// How often an option may be given, and with how many values.
enum class OptionTimes {
    Once,
    Repeated, ///< with one value each time
    Many      ///< with all values that follow, each time
};

/// Type of an option's value, as in a job file.
enum class ValueKind { Flag, Integer, Number, Text, NumberOrText };

/// An option as command lines and forms know it.
struct CommandOption {
    std::string name;    ///< without dashes; the key in a job file
    std::string value{}; ///< placeholder in the help, "FILE"; empty for a switch
    std::string help{};
    OptionTimes times = OptionTimes::Once;
    ValueKind kind = ValueKind::Text;
    std::vector<std::string> words{}; ///< all values, if there are only these
    double least = 0;                 ///< of a number
    double most = 0;
};

/// Values by the names of options; a switch has one empty value.
using GivenOptions = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The first value of an option; null if it is not given.
[[nodiscard]] const std::string* valueOf(const GivenOptions& options, std::string_view name);

struct CommandLine {
    GivenOptions options;
    std::vector<std::string> plain; ///< names of files and the like, in the order given
};

/// Splits `args` into options (`--name value` or `--name=value`) and plain arguments. After "--"
/// all arguments are plain; before it, one that begins with "-" is an option, unless a digit or a
/// point follows or nothing does. A value that begins with "--" needs the form with "=", and so
/// does one that begins with "-" behind the first of several.
/// **Errors**: CommandLine for an unknown option, an option given twice that does not repeat, a
/// missing value, and a value for a switch.
[[nodiscard]] CommandLine splitArguments(const std::string& command,
                                         const std::vector<CommandOption>& known,
                                         const std::vector<std::string>& args);

/// The names and placeholders of options, joined: "--threads N and --json".
[[nodiscard]] std::string listOf(const std::vector<CommandOption>& options);
/// The help text of options, a paragraph each, of at most 100 columns.
[[nodiscard]] std::string helpOf(const std::vector<CommandOption>& options);

/// "X,Y[,Z]:W,H[,D]"; spaces may stand beside numbers. **Errors**: CommandLine.
[[nodiscard]] base::Box parseBox(std::string_view text);
/// "64", "64,32" or "64, 64, 32". **Errors**: CommandLine.
[[nodiscard]] base::Extents parseTile(std::string_view text);
/// Bytes: "4GiB", "500 MB", "1048576". **Errors**: CommandLine.
[[nodiscard]] std::int64_t parseSize(std::string_view text);
/// The same number of bytes for parseSize(): "4GiB", "500MiB", "1000000".
[[nodiscard]] std::string sizeText(std::int64_t bytes);

/// Words as one line for a shell (bash, zsh), quoted where they need it.
[[nodiscard]] std::string shellLine(const std::vector<std::string>& words);

} // namespace flcc::job
