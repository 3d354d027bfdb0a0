#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/options/option_table.h"
#include "engine/job/report/text.h"

/// The kinds of rows of a table of options: files, numbers, words, flags. `at` is a member of the
/// job, or a function that returns a reference to what the option sets.
namespace flcc::job::detail::kinds {

using std::filesystem::path;

inline constexpr std::int64_t kMostPlanes = std::numeric_limits<int>::max();
inline constexpr std::int64_t kAnyCount = std::numeric_limits<std::int64_t>::max();

/// The word of a value of an enumeration that has name().
template <class Enum> std::string nameOf(Enum value) { return std::string(name(value)); }

[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& wanted);
[[nodiscard]] std::int64_t toInteger(const std::string& option, const std::string& text,
                                     std::int64_t low, std::int64_t high);
[[nodiscard]] double toNumber(const std::string& option, const std::string& text, double low,
                              double high);
[[nodiscard]] path toFile(const std::string& option, const std::string& text);

template <class J, class At>
Option<J> fileOption(std::string name, std::string value, std::string help, At at) {
    return {
        .name = name,
        .value = std::move(value),
        .help = std::move(help),
        .get =
            [at](const J& job) {
                const path& file = std::invoke(at, job);
                return file.empty() ? std::nullopt : std::optional(file.string());
            },
        .set = [at, name](J& job,
                          const std::string& text) { std::invoke(at, job) = toFile(name, text); }};
}

/// Files of which there may be several.
template <class J, class At> Option<J> filesOption(std::string name, std::string help, At at) {
    return {.name = name,
            .value = "FILE",
            .help = std::move(help),
            .getAll =
                [at](const J& job) {
                    std::vector<std::string> values;
                    for (const path& file : std::invoke(at, job)) {
                        values.push_back(file.string());
                    }
                    return values;
                },
            .setAll =
                [at, name](J& job, const std::vector<std::string>& values) {
                    std::vector<path> files;
                    for (const std::string& text : values) {
                        files.push_back(toFile(name, text));
                    }
                    std::invoke(at, job) = std::move(files);
                }};
}

/// A whole number; its default is that of a job without options.
template <class J, class At>
Option<J> countOption(std::string name, std::string value, std::string help, At at,
                      std::int64_t low, std::int64_t high) {
    return {
        .name = name,
        .kind = ValueKind::Integer,
        .value = std::move(value),
        .help = std::move(help),
        .get = [at](const J& job) { return std::optional(std::to_string(std::invoke(at, job))); },
        .set =
            [at, name, low, high](J& job, const std::string& text) {
                auto& number = std::invoke(at, job);
                number = static_cast<std::remove_reference_t<decltype(number)>>(
                    toInteger(name, text, low, high));
            },
        .clear = [at](J& job) { std::invoke(at, job) = std::invoke(at, J{}); },
        .least = static_cast<double>(low),
        .most = static_cast<double>(high)};
}

/// A whole number of at least 0 that may be left out.
template <class J, class At>
Option<J> indexOption(std::string name, std::string value, std::string help, At at,
                      std::int64_t high = kMostPlanes) {
    return {.name = name,
            .kind = ValueKind::Integer,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [at](const J& job) {
                    const auto& number = std::invoke(at, job);
                    return number ? std::optional(std::to_string(*number)) : std::nullopt;
                },
            .set =
                [at, name, high](J& job, const std::string& text) {
                    auto& number = std::invoke(at, job);
                    number =
                        static_cast<typename std::remove_reference_t<decltype(number)>::value_type>(
                            toInteger(name, text, 0, high));
                }};
}

/// One of a few words. `read` gives the word in force.
template <class J>
Option<J> wordOption(std::string name, std::string help, std::vector<std::string> words,
                     std::function<std::string(const J&)> read,
                     std::function<void(J&, const std::string&)> write) {
    std::string list;
    for (const std::string& word : words) {
        list += (list.empty() ? "" : "|") + word;
    }
    return {.name = name,
            .value = list,
            .help = std::move(help),
            .get = [read](const J& job) { return std::optional(read(job)); },
            .set =
                [name, words, list, write = std::move(write)](J& job, const std::string& text) {
                    if (std::ranges::find(words, text) == words.end()) {
                        refuse(name, text, "one of " + list);
                    }
                    write(job, text);
                },
            .words = words};
}

/// One of the values of an enumeration that has name().
template <class J, class At, class Enum>
Option<J> enumOption(std::string name, std::string help, At at, const std::vector<Enum>& all) {
    std::vector<std::string> words;
    for (const Enum value : all) {
        words.push_back(nameOf(value));
    }
    return wordOption<J>(
        std::move(name), std::move(help), std::move(words),
        [at](const J& job) { return nameOf(std::invoke(at, job)); },
        [at, all](J& job, const std::string& text) {
            std::invoke(at, job) =
                *std::ranges::find_if(all, [&](Enum value) { return text == nameOf(value); });
        });
}

template <class J, class At> Option<J> flagOption(std::string name, std::string help, At at) {
    return {
        .name = std::move(name),
        .kind = ValueKind::Flag,
        .value = "",
        .help = std::move(help),
        .get =
            [at](const J& job) {
                return std::optional<std::string>(std::invoke(at, job) ? "true" : "false");
            },
        .set = [at](J& job, const std::string& text) { std::invoke(at, job) = text == "true"; }};
}

/// A number, or one that may be left out; its default is that of a job without options.
template <class J, class At>
Option<J> numberOption(std::string name, std::string value, std::string help, At at, double low,
                       double high = std::numeric_limits<double>::max()) {
    return {.name = name,
            .kind = ValueKind::Number,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [at](const J& job) {
                    const std::optional<double> number = std::invoke(at, job);
                    return number ? std::optional(shortest(*number)) : std::nullopt;
                },
            .set =
                [at, name, low, high](J& job, const std::string& text) {
                    std::invoke(at, job) = toNumber(name, text, low, high);
                },
            .clear = [at](J& job) { std::invoke(at, job) = std::invoke(at, J{}); },
            .least = low,
            .most = high};
}

} // namespace flcc::job::detail::kinds
