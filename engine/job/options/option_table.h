#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/command_line.h"
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
    /// The value as text; empty where none is set. The value of a job without options is the
    /// default.
    std::function<std::optional<std::string>(const J&)> get{};
    /// **Errors**: CommandLine, naming the option, for a value out of range.
    std::function<void(J&, const std::string&)> set{};
    /// Returns all values of an option that may be repeated; then `get` and `set` are empty. In a
    /// job file one value is a text, several are a list.
    std::function<std::vector<std::string>(const J&)> getAll{};
    std::function<void(J&, const std::vector<std::string>&)> setAll{};

    /// Sets the default; needed where that is no text.
    std::function<void(J&)> clear{};
    std::vector<std::string> words{}; ///< all values, if there are only these
    double least = 0;                 ///< of a number
    double most = 0;
    /// All values that follow are of this option on the command line: names of files by a pattern.
    bool many = false;

    [[nodiscard]] bool repeats() const { return static_cast<bool>(getAll); }
    [[nodiscard]] OptionTimes times() const {
        return many ? OptionTimes::Many : repeats() ? OptionTimes::Repeated : OptionTimes::Once;
    }

    /// The values in `job`; empty if it has the default.
    [[nodiscard]] std::vector<std::string> valuesOf(const J& job) const {
        if (repeats()) {
            return getAll(job);
        }
        static const J kUsual;
        const std::optional<std::string> one = get(job);
        return one && one != get(kUsual) ? std::vector{*one} : std::vector<std::string>{};
    }

    void reset(J& job) const {
        if (clear) {
            clear(job);
        } else {
            set(job, get(J{}).value());
        }
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
        return {name, kind, value, help, get, set, getAll, setAll, clear, words, least, most, many};
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

/// An option that a plain argument stands for.
struct PlainArgument {
    std::string option;
    std::string notWith{}; ///< an option beside which the name must be written
};

/// A command whose options make a job, or what is like one.
template <class J> struct Command {
    std::string name;
    std::vector<PlainArgument> places{}; ///< what plain arguments are, in their order
    std::string usage{};                 ///< the same in words: "an image: flcc-cli features IMAGE"
    /// What options replace in a job, before they are set. **Errors**: CommandLine.
    std::function<void(J&, const GivenOptions&)> replace{};
    /// Refuses a job after its options are set. **Errors**: CommandLine.
    std::function<void(const J&)> require{};
    /// Whether it has what a command line must give.
    std::function<bool(const J&)> isComplete{};
};

/// The options of a command in the order of the help: its job from options or from a job file, and
/// the other way round.
template <class J> class OptionTable {
  public:
    OptionTable(Command<J> command, std::vector<Option<J>> rows)
        : m_command(std::move(command)), m_rows(std::move(rows)) {}

    [[nodiscard]] const Command<J>& command() const { return m_command; }
    [[nodiscard]] const std::vector<Option<J>>& rows() const { return m_rows; }

    /// The option with that name, or null.
    [[nodiscard]] const Option<J>* find(std::string_view name) const {
        const auto found = std::ranges::find(m_rows, name, &Option<J>::name);
        return found == m_rows.end() ? nullptr : &*found;
    }

    [[nodiscard]] std::vector<CommandOption> options() const {
        std::vector<CommandOption> options;
        for (const Option<J>& row : m_rows) {
            options.push_back({row.name, row.value, row.help, row.times(), row.kind, row.words,
                               row.least, row.most});
        }
        return options;
    }

    /// **Errors**: CommandLine for an unknown name or a value that is wrong.
    void set(J& job, const GivenOptions& given) const {
        for (const auto& [name, values] : given) {
            if (find(name) == nullptr) {
                refuse("unknown option \"" + base::excerpt(name) + "\" of " + m_command.name);
            }
        }
        if (m_command.replace) {
            m_command.replace(job, given);
        }
        for (const Option<J>& row : m_rows) {
            if (const auto found = given.find(row.name); found != given.end()) {
                row.setValues(job, found->second);
            }
        }
        if (m_command.require) {
            m_command.require(job);
        }
    }

    /// Sets what a command line says. **Errors**: CommandLine.
    void setLine(J& job, CommandLine line) const {
        for (std::size_t i = line.plain.size(); i-- > 0;) { // the first one comes to the front last
            place(line.options, i, line.plain[i]);
        }
        set(job, line.options);
        if (m_command.isComplete && !m_command.isComplete(job)) {
            refuse(m_command.name + " needs " + m_command.usage);
        }
    }

    /// The job of a job file. **Errors**: as valuesOfJobFile() and set().
    [[nodiscard]] J fromFile(std::string_view text) const {
        J job;
        set(job, valuesOfJobFile(m_command.name, text, [this](std::string_view name) {
                const Option<J>* const row = find(name);
                return row ? std::optional(FileShape{row->kind, row->repeats()}) : std::nullopt;
            }));
        return job;
    }

    [[nodiscard]] std::string toFile(const J& job) const {
        std::vector<FileValue> values;
        for (const Option<J>& row : m_rows) {
            if (std::vector<std::string> texts = row.valuesOf(job); !texts.empty()) {
                values.push_back({row.name, row.kind, std::move(texts)});
            }
        }
        return jobFile(m_command.name, values);
    }

    /// The options from which set() makes an equal job; those with default values are left out.
    [[nodiscard]] std::vector<std::string> toArguments(const J& job) const {
        std::vector<std::string> arguments;
        for (const Option<J>& row : m_rows) {
            std::vector<std::string> values = row.valuesOf(job);
            if (!values.empty() && isPlain(row.name, job)) {
                const bool dash = values.front().starts_with("-");
                arguments.push_back((dash ? "./" : "") + values.front());
                values.erase(values.begin());
            }
            for (const std::string& value : values) {
                if (row.kind == ValueKind::Flag) {
                    arguments.push_back("--" + row.name);
                } else if (value.starts_with("-")) {
                    arguments.push_back("--" + row.name + "=" + value);
                } else {
                    arguments.push_back("--" + row.name);
                    arguments.push_back(value);
                }
            }
        }
        return arguments;
    }

    /// The job as one line for a shell.
    [[nodiscard]] std::string toCommandLine(const J& job) const {
        std::vector<std::string> words = toArguments(job);
        words.insert(words.begin(), {"flcc-cli", m_command.name});
        return shellLine(words);
    }

  private:
    [[noreturn]] static void refuse(const std::string& sentence) {
        throw base::Error(base::ErrorCode::CommandLine, sentence);
    }

    /// Sets plain argument `i` before the values that are given by name.
    void place(GivenOptions& given, std::size_t i, const std::string& value) const {
        if (i >= m_command.places.size()) {
            refuse("unexpected argument \"" + base::excerpt(value) + "\"; " + m_command.name +
                   " takes " + m_command.usage);
        }
        const auto& [option, notWith] = m_command.places[i];
        if (given.contains(notWith)) {
            refuse("with --" + notWith + ", no " + option + " can be a plain argument; write --" +
                   option + " " + value);
        }
        std::vector<std::string>& values = given[option];
        if (!values.empty() && !find(option)->repeats()) {
            refuse("the " + option + " is given twice: as --" + option + " and as \"" +
                   base::excerpt(value) + "\"");
        }
        values.insert(values.begin(), value);
    }

    /// Whether the first value of an option is written as a plain argument. One behind an option
    /// with many values would be one more of them.
    [[nodiscard]] bool isPlain(const std::string& name, const J& job) const {
        for (const PlainArgument& place : m_command.places) {
            const bool excluded =
                !place.notWith.empty() && !find(place.notWith)->valuesOf(job).empty();
            if (excluded || place.option == name) {
                return !excluded;
            }
            if (find(place.option)->valuesOf(job).size() != 1) {
                return false;
            }
        }
        return false;
    }

    Command<J> m_command;
    std::vector<Option<J>> m_rows;
};

} // namespace flcc::job::detail
