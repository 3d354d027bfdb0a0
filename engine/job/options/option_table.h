#pragma once

#include <algorithm>
#include <concepts>
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
#include "engine/job/options/job_file.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

/// One option of jobs of type `J`: everything that parsing, the job file, "copy as command line"
/// and the help need.
template <class J> struct Option {
    std::string name; ///< long option without dashes; the key in a job file
    ValueKind kind = ValueKind::Text;
    std::string value; ///< placeholder for the value in the help: "FILE"
    std::string help;
    /// The value as text; empty if the job has the default.
    std::function<std::optional<std::string>(const J&)> get{};
    /// **Errors**: CommandLine, naming the option, for a value out of range.
    std::function<void(J&, const std::string&)> set{};
    /// The first value may be given without the option's name on the command line.
    bool positional = false;
    /// Returns all values of an option that may be repeated; then `get` and `set` are empty. In a
    /// job file one value is a text, several are a list.
    std::function<std::vector<std::string>(const J&)> getAll{};
    std::function<void(J&, const std::vector<std::string>&)> setAll{};

    [[nodiscard]] bool repeats() const { return static_cast<bool>(getAll); }

    /// The values in `job`; empty if it has the default.
    [[nodiscard]] std::vector<std::string> valuesOf(const J& job) const {
        if (repeats()) {
            return getAll(job);
        }
        const std::optional<std::string> one = get(job);
        return one ? std::vector{*one} : std::vector<std::string>{};
    }

    /// On the command line a switch has no value, or an empty one.
    void setValues(J& job, const std::vector<std::string>& values) const {
        if (repeats()) {
            setAll(job, values);
        } else {
            const bool on = kind == ValueKind::Flag && values.front().empty();
            set(job, on ? "true" : values.front());
        }
    }

    /// An option of all jobs is one of each kind of job.
    template <class D>
    requires(std::derived_from<D, J> && !std::same_as<D, J>) operator Option<D>() const {
        return {name, kind, value, help, get, set, positional, getAll, setAll};
    }

    /// The same option with another help or name.
    [[nodiscard]] Option withHelp(std::string other) const {
        Option changed = *this;
        changed.help = std::move(other);
        return changed;
    }
    [[nodiscard]] Option named(std::string other) const {
        Option changed = *this;
        changed.name = std::move(other);
        return changed;
    }
};

/// The options of a command in the order of the help: its job from options or from a job file, and
/// the other way round.
template <class J> class OptionTable {
  public:
    OptionTable(std::string command, std::vector<Option<J>> rows)
        : m_command(std::move(command)), m_rows(std::move(rows)) {}

    [[nodiscard]] const std::vector<Option<J>>& rows() const { return m_rows; }

    /// The option with that name, or null.
    [[nodiscard]] const Option<J>* find(std::string_view name) const {
        const auto found = std::ranges::find(m_rows, name, &Option<J>::name);
        return found == m_rows.end() ? nullptr : &*found;
    }

    [[nodiscard]] std::vector<CommandOption> options() const {
        std::vector<CommandOption> options;
        for (const Option<J>& row : m_rows) {
            options.push_back({row.name, row.value, row.help});
        }
        return options;
    }

    [[nodiscard]] std::string help() const {
        std::string text;
        for (const Option<J>& row : m_rows) {
            text +=
                helpLine("--" + row.name + (row.value.empty() ? "" : " " + row.value), row.help);
        }
        return text;
    }

    /// **Errors**: CommandLine for an unknown name or a value that is wrong.
    void set(J& job, const std::map<std::string, std::string>& values) const {
        for (const auto& [name, value] : values) {
            const Option<J>* const row = find(name);
            if (row == nullptr) {
                throw base::Error(base::ErrorCode::CommandLine,
                                  "unknown option \"" + base::excerpt(name) + "\" of " + m_command);
            }
            row->setValues(job, {value});
        }
    }

    [[nodiscard]] std::string toFile(const J& job) const {
        std::vector<FileValue> values;
        for (const Option<J>& row : m_rows) {
            if (std::vector<std::string> texts = row.valuesOf(job); !texts.empty()) {
                values.push_back({row.name, row.kind, std::move(texts)});
            }
        }
        return jobFile(m_command, values);
    }

    /// Sets what a job file says and returns the names of its options. **Errors**: as
    /// valuesOfJobFile().
    std::vector<std::string> setFromFile(J& job, std::string_view text) const {
        const auto shapeOf = [this](std::string_view name) {
            const Option<J>* const row = find(name);
            return row ? std::optional(FileShape{row->kind, row->repeats()}) : std::nullopt;
        };
        std::vector<std::string> names;
        for (const FileValue& value : valuesOfJobFile(m_command, text, shapeOf)) {
            find(value.name)->setValues(job, value.texts);
            names.push_back(value.name);
        }
        return names;
    }

  private:
    std::string m_command;
    std::vector<Option<J>> m_rows;
};

} // namespace flcc::job::detail
