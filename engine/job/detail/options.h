#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// What an option's value is in a job file.
enum class ValueKind { Flag, Integer, Number, Text, NumberOrText };

/// One option of `match` and `plan`: all that parsing, the job file, "copy as command line" and the
/// help need to know of it.
struct Option {
    std::string name; ///< long option without dashes; the key in a job file
    ValueKind kind = ValueKind::Text;
    std::string value; ///< "FILE"; what stands for the value in the help
    std::string help;
    /// The value as text; empty where the job has the default.
    std::function<std::optional<std::string>(const Job&)> get;
    /// **Errors**: CommandLine, naming the option, for a value that is out of range.
    std::function<void(Job&, const std::string&)> set;
    /// Its first value has no dashes on the command line.
    bool positional = false;
    /// Of an option that may be repeated, all its values, instead of get and set. One value is a
    /// text in a job file, several are a list.
    std::function<std::vector<std::string>(const Job&)> getAll{};
    std::function<void(Job&, const std::vector<std::string>&)> setAll{};

    [[nodiscard]] bool repeats() const { return static_cast<bool>(getAll); }
};

/// The values of an option in `job`; none where it has the default.
[[nodiscard]] std::vector<std::string> valuesOf(const Option& option, const Job& job);

/// The one table, in the order of the help.
[[nodiscard]] const std::vector<Option>& options();

/// The option of that name, or null.
[[nodiscard]] const Option* findOption(std::string_view name);

/// The options that a plan report decides, so that none of them can stand beside `plan`.
[[nodiscard]] const std::vector<std::string>& plannedOptions();

/// Throws that `option` cannot stand beside a plan report. **Errors**: CommandLine.
[[noreturn]] void refuseBesidePlan(const std::string& option);

/// Throws for values of a job that make no sense, alone or together. **Errors**: CommandLine.
void requireSensible(const Job& job);

} // namespace flcc::job::detail
