#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/command_option.h"
#include "engine/job/options/command_file.h"
#include "engine/job/options/options.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

/// An option of a command with what reads and writes it in a job of type `J`.
template <class J> struct OptionRow {
    CommandOption option;
    ValueKind kind = ValueKind::Text; ///< Text, Integer or Number
    /// The value as text; empty if the job has the default.
    std::function<std::optional<std::string>(const J&)> get;
    /// **Errors**: CommandLine, naming the option, for a value out of range.
    std::function<void(J&, const std::string&)> set;
};

/// One of a few words, the first the default. `read` and `write` have the word of a job.
template <class J>
OptionRow<J> wordRow(const std::string& name, const std::string& help,
                     std::vector<std::string> words, std::function<std::string(const J&)> read,
                     std::function<void(J&, const std::string&)> write) {
    std::string list;
    for (const std::string& word : words) {
        list += (list.empty() ? "" : "|") + word;
    }
    return {{name, list, help},
            ValueKind::Text,
            [read](const J& job) {
                return read(job) == read(J{}) ? std::nullopt : std::optional(read(job));
            },
            [name, list, words = std::move(words),
             write = std::move(write)](J& job, const std::string& text) {
                if (std::find(words.begin(), words.end(), text) == words.end()) {
                    throw base::Error(base::ErrorCode::CommandLine,
                                      "--" + name + " must be one of " + list + ", not \"" +
                                          base::excerpt(text) + "\"");
                }
                write(job, text);
            }};
}

/// A whole number from `least` to `most`. The value of a job without options is the default.
template <class J>
OptionRow<J> countRow(const std::string& name, const std::string& value, const std::string& help,
                      std::int64_t least, std::int64_t most,
                      std::function<std::int64_t(const J&)> read,
                      std::function<void(J&, std::int64_t)> write) {
    return {{name, value, help},
            ValueKind::Integer,
            [read](const J& job) {
                return read(job) == read(J{}) ? std::nullopt
                                              : std::optional(std::to_string(read(job)));
            },
            [name, least, most, write = std::move(write)](J& job, const std::string& text) {
                std::int64_t number = 0;
                const char* const last = text.data() + text.size();
                const auto [end, error] = std::from_chars(text.data(), last, number);
                if (error != std::errc{} || end != last || number < least || number > most) {
                    throw base::Error(base::ErrorCode::CommandLine,
                                      "--" + name + " must be a whole number from " +
                                          std::to_string(least) + " to " + std::to_string(most) +
                                          ", not \"" + base::excerpt(text) + "\"");
                }
                write(job, number);
            }};
}

/// The options of a command: its job from options or from a job file, and the other way round.
template <class J> class OptionTable {
  public:
    OptionTable(std::string command, std::vector<OptionRow<J>> rows)
        : m_command(std::move(command)), m_rows(std::move(rows)) {}

    [[nodiscard]] std::vector<CommandOption> options() const {
        std::vector<CommandOption> options;
        for (const OptionRow<J>& row : m_rows) {
            options.push_back(row.option);
        }
        return options;
    }

    [[nodiscard]] std::string help() const {
        std::string text;
        for (const OptionRow<J>& row : m_rows) {
            const std::string& value = row.option.value;
            text += helpLine("--" + row.option.name + (value.empty() ? "" : " " + value),
                             row.option.help);
        }
        return text;
    }

    /// **Errors**: CommandLine for an unknown option.
    [[nodiscard]] const OptionRow<J>& find(const std::string& name) const {
        for (const OptionRow<J>& row : m_rows) {
            if (row.option.name == name) {
                return row;
            }
        }
        throw base::Error(base::ErrorCode::CommandLine,
                          "unknown option \"" + base::excerpt(name) + "\" of " + m_command);
    }

    /// **Errors**: CommandLine for an unknown name or a value that is wrong.
    void set(J& job, const std::map<std::string, std::string>& values) const {
        for (const auto& [name, value] : values) {
            find(name).set(job, value);
        }
    }

    [[nodiscard]] std::string toFile(const J& job) const {
        std::vector<FileValue> values;
        for (const OptionRow<J>& row : m_rows) {
            if (const std::optional<std::string> value = row.get(job)) {
                values.push_back({row.option.name, row.kind, *value});
            }
        }
        return commandFile(m_command, values);
    }

    /// **Errors**: as readCommandFile().
    [[nodiscard]] std::map<std::string, std::string> fromFile(std::string_view text) const {
        return readCommandFile(m_command, text,
                               [this](const std::string& name) { return find(name).kind; });
    }

  private:
    std::string m_command;
    std::vector<OptionRow<J>> m_rows;
};

} // namespace flcc::job::detail
