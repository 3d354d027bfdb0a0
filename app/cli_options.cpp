#include "app/cli_options.h"

#include <unistd.h>

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

void refuse(const std::string& sentence) { throw Error(ErrorCode::CommandLine, sentence); }

job::GivenOptions optionsAlone(const std::string& command,
                               const std::vector<job::CommandOption>& known,
                               const std::vector<std::string>& args) {
    job::CommandLine line = job::splitArguments(command, known, args);
    if (!line.plain.empty()) {
        refuse("unexpected argument \"" + base::excerpt(line.plain.front()) + "\"; " + command +
               " takes " + job::listOf(known));
    }
    return std::move(line.options);
}

std::int64_t wholeNumber(const std::string& option, std::string_view text, std::int64_t least,
                         std::int64_t most) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || value < least ||
        value > most) {
        refuse("--" + option + " takes a whole number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", not \"" + base::excerpt(text) + "\"");
    }
    return value;
}

std::int64_t wholeNumber(const job::GivenOptions& options, const std::string& option,
                         std::int64_t least, std::int64_t most, std::int64_t otherwise) {
    const std::string* const text = job::valueOf(options, option);
    return text != nullptr ? wholeNumber(option, *text, least, most) : otherwise;
}

int threadsOf(const job::GivenOptions& options) {
    constexpr int kMostThreads = 4096;
    return static_cast<int>(wholeNumber(options, "threads", 1, kMostThreads, 0));
}

std::string deviceOf(const job::GivenOptions& options, const std::string& otherwise) {
    const std::string* const text = job::valueOf(options, "device");
    if (text != nullptr && !plan::isDeviceName(*text)) {
        refuse("--device takes auto, cpu, cuda or cuda:N, not \"" + base::excerpt(*text) + "\"");
    }
    return text != nullptr ? *text : otherwise;
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
