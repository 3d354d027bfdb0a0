#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/options/options.h"
#include "engine/job/report/text.h"

/// The kinds of rows of the table of options: files, numbers, flags.
namespace flcc::job::detail::kinds {

using base::Error;
using base::ErrorCode;
using std::filesystem::path;

inline constexpr std::int64_t kMostPlanes = std::numeric_limits<int>::max();

[[noreturn]] inline void refuse(const std::string& option, const std::string& value,
                                const std::string& wanted) {
    throw Error(ErrorCode::CommandLine,
                "--" + option + " must be " + wanted + ", not \"" + base::excerpt(value) + "\"");
}

inline std::int64_t toInteger(const std::string& option, const std::string& text, std::int64_t low,
                              std::int64_t high) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || value < low || value > high) {
        refuse(option, text,
               high == std::numeric_limits<std::int64_t>::max()
                   ? "a whole number of at least " + std::to_string(low)
                   : "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value;
}

inline double toNumber(const std::string& option, const std::string& text, double low,
                       double high) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || !(value >= low && value <= high)) {
        refuse(option, text,
               high == std::numeric_limits<double>::max()
                   ? "a number of at least " + shortest(low)
                   : "a number from " + shortest(low) + " to " + shortest(high));
    }
    return value;
}

inline path toFile(const std::string& option, const std::string& text) {
    if (text.empty() || text.find('\0') != std::string::npos) {
        refuse(option, text, "the name of a file");
    }
    return text;
}

inline Option fileOption(std::string name, std::string value, std::string help, path Job::*member) {
    return {.name = name,
            .kind = ValueKind::Text,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    return (job.*member).empty() ? std::nullopt
                                                 : std::optional((job.*member).string());
                },
            .set = [member, name](Job& job,
                                  const std::string& text) { job.*member = toFile(name, text); },
            .positional = false};
}

/// Files of which there may be several.
inline Option filesOption(std::string name, std::string help, std::vector<path> Job::*member) {
    Option option{.name = name, .value = "FILE", .help = std::move(help), .get = {}, .set = {}};
    option.getAll = [member](const Job& job) {
        std::vector<std::string> values;
        for (const path& file : job.*member) {
            values.push_back(file.string());
        }
        return values;
    };
    option.setAll = [member, name](Job& job, const std::vector<std::string>& values) {
        (job.*member).clear();
        for (const std::string& text : values) {
            (job.*member).push_back(toFile(name, text));
        }
    };
    return option;
}

/// An integer option; its default is the default of the Job member.
template <class T>
inline Option countOption(std::string name, std::string value, std::string help, T Job::*member,
                          std::int64_t low, std::int64_t high) {
    return {.name = name,
            .kind = ValueKind::Integer,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    return job.*member == Job{}.*member
                               ? std::nullopt
                               : std::optional(std::to_string(job.*member));
                },
            .set =
                [member, name, low, high](Job& job, const std::string& text) {
                    job.*member = static_cast<T>(toInteger(name, text, low, high));
                },
            .positional = false};
}

/// A whole number that may be left out.
template <class T>
inline Option indexOption(std::string name, std::string value, std::string help,
                          std::optional<T> Job::*member) {
    return {.name = name,
            .kind = ValueKind::Integer,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    return job.*member ? std::optional(std::to_string(*(job.*member)))
                                       : std::nullopt;
                },
            .set =
                [member, name](Job& job, const std::string& text) {
                    job.*member = static_cast<T>(toInteger(name, text, 0, kMostPlanes));
                },
            .positional = false};
}

/// One of a few words. `read` gives the word in force.
inline Option wordOption(std::string name, std::string help, std::vector<std::string> words,
                         std::function<std::string(const Job&)> read,
                         std::function<void(Job&, const std::string&)> write) {
    std::string list;
    for (const std::string& word : words) {
        list += (list.empty() ? "" : "|") + word;
    }
    return {.name = name,
            .kind = ValueKind::Text,
            .value = list,
            .help = std::move(help),
            .get =
                [read](const Job& job) {
                    return read(job) == read(Job{}) ? std::nullopt : std::optional(read(job));
                },
            .set =
                [name, words = std::move(words), list,
                 write = std::move(write)](Job& job, const std::string& text) {
                    if (std::find(words.begin(), words.end(), text) == words.end()) {
                        refuse(name, text, "one of " + list);
                    }
                    write(job, text);
                },
            .positional = false};
}

inline Option flagOption(std::string name, std::string help, bool Job::*member) {
    return {.name = std::move(name),
            .kind = ValueKind::Flag,
            .value = "",
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    return job.*member ? std::optional<std::string>("true") : std::nullopt;
                },
            .set = [member](Job& job, const std::string& text) { job.*member = text == "true"; },
            .positional = false};
}

/// A number option; its default is the default of the Job member.
inline Option numberOption(std::string name, std::string value, std::string help,
                           double Job::*member, double low, double high) {
    return {.name = name,
            .kind = ValueKind::Number,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    return job.*member == Job{}.*member ? std::nullopt
                                                        : std::optional(shortest(job.*member));
                },
            .set =
                [member, name, low, high](Job& job, const std::string& text) {
                    job.*member = toNumber(name, text, low, high);
                },
            .positional = false};
}

} // namespace flcc::job::detail::kinds
