#include "app/cli_options.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/plan/planner.h"

namespace flcc::app {

using base::Error;
using base::ErrorCode;

namespace {

std::string listOf(const std::vector<KnownOption>& known) {
    std::string list;
    for (std::size_t i = 0; i < known.size(); ++i) {
        list += i == 0 ? "" : i + 1 == known.size() ? " and " : ", ";
        list += known[i].name + (known[i].value.empty() ? "" : " " + known[i].value);
    }
    return list;
}

} // namespace

void refuse(const std::string& sentence) { throw Error(ErrorCode::CommandLine, sentence); }

CommandArguments argumentsOf(const std::string& command, const std::vector<KnownOption>& known,
                             const std::vector<std::string>& args) {
    CommandArguments result;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i] == "--") {
            result.plain.insert(result.plain.end(),
                                args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
            break;
        }
        if (!args[i].starts_with("-") || args[i] == "-") {
            result.plain.push_back(args[i]);
            continue;
        }
        const std::size_t equals = args[i].find('=');
        const std::string name = args[i].substr(0, equals);
        const auto option = std::find_if(known.begin(), known.end(),
                                         [&](const KnownOption& one) { return one.name == name; });
        if (option == known.end()) {
            refuse("unknown option " + base::excerpt(name) + "; " + command + " takes " +
                   (known.empty() ? "no options; write -- before a name that begins with -"
                                  : listOf(known)));
        }
        if (result.options.contains(name) && !option->repeats) {
            refuse("option " + name + " is given twice");
        }
        const bool separate = equals == std::string::npos;
        if (option->value.empty()) {
            if (!separate) {
                refuse("option " + name + " takes no value");
            }
            result.options.emplace(name, "");
            continue;
        }
        if (separate && i + 1 == args.size()) {
            refuse("option " + name + " needs a value");
        }
        result.options.emplace(name, separate ? args[++i] : args[i].substr(equals + 1));
    }
    return result;
}

OptionValues optionsOf(const std::string& command, const std::vector<KnownOption>& known,
                       const std::vector<std::string>& args) {
    CommandArguments result = argumentsOf(command, known, args);
    if (!result.plain.empty()) {
        refuse("unexpected argument \"" + base::excerpt(result.plain.front()) + "\"; " + command +
               " takes " + listOf(known));
    }
    return std::move(result.options);
}

std::int64_t wholeNumber(const std::string& option, std::string_view text, std::int64_t least,
                         std::int64_t most) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || value < least ||
        value > most) {
        refuse(option + " takes a whole number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", not \"" + base::excerpt(text) + "\"");
    }
    return value;
}

int threadsOf(const OptionValues& options) {
    constexpr int kMostThreads = 4096;
    const auto found = options.find("--threads");
    return found == options.end()
               ? 0
               : static_cast<int>(wholeNumber("--threads", found->second, 1, kMostThreads));
}

std::string deviceOf(const OptionValues& options) {
    const auto found = options.find("--device");
    if (found == options.end()) {
        return "auto";
    }
    if (!plan::isDeviceName(found->second)) {
        refuse("--device takes auto, cpu, cuda or cuda:N, not \"" + base::excerpt(found->second) +
               "\"");
    }
    return found->second;
}

bool writeAll(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return true;
}

void print(const std::string& text) {
    if (!writeAll(STDOUT_FILENO, ::isatty(STDOUT_FILENO) == 1 ? base::visibleText(text) : text)) {
        throw Error(ErrorCode::Output,
                    "cannot write to standard output: " + std::generic_category().message(errno));
    }
}

void say(const std::string& text) { print(base::visibleText(text)); }

void complain(const std::string& text) {
    (void)writeAll(STDERR_FILENO, base::visibleText(text)); // nobody could be told of a failure
}

void requireFolderOf(const std::filesystem::path& file) {
    if (file.has_parent_path() && !std::filesystem::is_directory(file.parent_path())) {
        throw Error(ErrorCode::Output, "cannot write " + file.string() + ": the folder " +
                                           file.parent_path().string() + " does not exist");
    }
}

} // namespace flcc::app
