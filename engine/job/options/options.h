#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// Type of an option's value in a job file.
enum class ValueKind { Flag, Integer, Number, Text, NumberOrText };

/// One option of `match` and `plan`: everything that parsing, the job file, "copy as command line"
/// and the help need.
struct Option {
    std::string name; ///< long option without dashes; the key in a job file
    ValueKind kind = ValueKind::Text;
    std::string value; ///< placeholder for the value in the help: "FILE"
    std::string help;
    /// The value as text; empty if the job has the default.
    std::function<std::optional<std::string>(const Job&)> get;
    /// **Errors**: CommandLine, naming the option, for a value out of range.
    std::function<void(Job&, const std::string&)> set;
    /// The first value may be given without the option's name on the command line.
    bool positional = false;
    /// Returns all values of an option that may be repeated; then `get` and `set` are empty. In a
    /// job file one value is a text, several are a list.
    std::function<std::vector<std::string>(const Job&)> getAll{};
    std::function<void(Job&, const std::vector<std::string>&)> setAll{};

    [[nodiscard]] bool repeats() const { return static_cast<bool>(getAll); }
};

/// The values of an option in `job`; empty if it has the default.
[[nodiscard]] std::vector<std::string> valuesOf(const Option& option, const Job& job);

/// The table of all options, in the order of the help.
[[nodiscard]] const std::vector<Option>& options();

/// `--channel` of commands that work on one channel.
[[nodiscard]] const Option& channelNumber();

/// The option with that name, or null.
[[nodiscard]] const Option* findOption(std::string_view name);
/// Rows of the table: Job::spacing, and Job::reading.
[[nodiscard]] Option spacingOption();
[[nodiscard]] Option orientationOption();
[[nodiscard]] Option imageOption();
/// A row of the table: Job::world.
[[nodiscard]] Option worldOption();

/// The options that a plan report decides; none of them may be combined with `plan`.
[[nodiscard]] const std::vector<std::string>& plannedOptions();

/// Throws that `option` cannot be combined with a plan report. **Errors**: CommandLine.
[[noreturn]] void refuseBesidePlan(const std::string& option);

/// Throws for a threshold of peaks that the job's operation does not have. **Errors**: CommandLine.
void requireThreshold(const Job& job);

/// Throws for invalid values of a job, or an invalid combination. **Errors**: CommandLine; Problem
/// as requireChannels().
void requireSensible(const Job& job);

} // namespace flcc::job::detail
