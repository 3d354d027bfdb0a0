#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/any_job.h"
#include "engine/job/convolve/convolve_options.h"
#include "engine/job/features/features_options.h"
#include "engine/job/options/options.h"

// The forms of a job of any kind: command line, job file.

namespace flcc::job {

namespace {

const detail::OptionTable<Job>& tableOf(const Job& /*kind*/) { return detail::matchOptions(); }
const detail::OptionTable<ConvolveJob>& tableOf(const ConvolveJob& /*kind*/) {
    return detail::convolveOptions();
}
const detail::OptionTable<FeaturesJob>& tableOf(const FeaturesJob& /*kind*/) {
    return detail::featuresOptions();
}

template <std::size_t... kKinds>
std::vector<AnyJob> defaultJobs(std::index_sequence<kKinds...> /*kinds*/) {
    return {AnyJob(std::in_place_index<kKinds>)...};
}

/// A job without options of every kind.
const std::vector<AnyJob>& kinds() {
    static const std::vector<AnyJob> kJobs =
        defaultJobs(std::make_index_sequence<std::variant_size_v<AnyJob>>());
    return kJobs;
}

/// A job without options of the kind that a command runs; of match for other words, whose reader
/// says what is wrong.
const AnyJob& kindOf(std::string_view command) {
    const auto found = std::ranges::find(kinds(), command, commandOf);
    return found == kinds().end() ? kinds().front() : *found;
}

void readSwitches(GivenOptions& options, ParsedArguments& parsed) {
    const auto take = [&](const char* name) {
        const auto node = options.extract(std::string(name));
        return node.empty() ? std::optional<std::string>() : node.mapped().front();
    };
    parsed.jobFile = take("job").value_or(std::string());
    parsed.saveJob = take("save-job").value_or(std::string());
    parsed.json = take("json").has_value();
    parsed.quiet = take("quiet").has_value();
    parsed.verbose = take("verbose").has_value();
    if (parsed.quiet && parsed.verbose) {
        throw base::Error(base::ErrorCode::CommandLine,
                          "--quiet and --verbose cannot be used together");
    }
}

} // namespace

std::string_view commandOf(const AnyJob& job) {
    return std::visit(
        [](const auto& one) -> std::string_view { return tableOf(one).command().name; }, job);
}

std::vector<std::string> jobCommands() {
    std::vector<std::string> names;
    for (const AnyJob& kind : kinds()) {
        names.emplace_back(commandOf(kind));
    }
    return names;
}

std::vector<CommandOption> optionsOf(std::string_view command) {
    return std::visit([](const auto& one) { return tableOf(one).options(); }, kindOf(command));
}

std::vector<CommandOption> commonOptions() {
    return {
        {"job", "FILE", "read options from a job file; options on the command line override them"},
        {"save-job", "FILE", "write these options as a job file"},
        {"json", "", "print the report instead of the summary"},
        {"quiet", "", "print errors only"},
        {"verbose", "", "also print log messages"}};
}

ParsedArguments parseArguments(std::string_view command, const std::vector<std::string>& args) {
    std::vector<CommandOption> known = optionsOf(command);
    std::ranges::move(commonOptions(), std::back_inserter(known));
    CommandLine line = splitArguments(std::string(command), known, args);
    ParsedArguments parsed;
    readSwitches(line.options, parsed);
    parsed.job = kindOf(command);
    std::visit(
        [&](auto& job) {
            const auto& table = tableOf(job);
            if (!parsed.jobFile.empty()) {
                job = table.fromFile(readJobFile(parsed.jobFile));
            }
            table.setLine(job, std::move(line));
        },
        parsed.job);
    return parsed;
}

template <class J> std::optional<std::string> optionText(const J& job, std::string_view option) {
    return tableOf(job).find(option)->get(job);
}

template <class J> std::vector<std::string> optionValues(const J& job, std::string_view option) {
    return tableOf(job).find(option)->valuesOf(job);
}

template <class J> bool isOptionSet(const J& job, std::string_view option) {
    return !tableOf(job).find(option)->valuesOf(job).empty();
}

template <class J>
void setOption(J& job, std::string_view option, const std::optional<std::string>& text) {
    const auto& row = *tableOf(job).find(option);
    text ? row.set(job, *text) : row.reset(job);
}

template std::optional<std::string> optionText(const Job&, std::string_view);
template std::optional<std::string> optionText(const ConvolveJob&, std::string_view);
template std::optional<std::string> optionText(const FeaturesJob&, std::string_view);
template std::vector<std::string> optionValues(const Job&, std::string_view);
template bool isOptionSet(const Job&, std::string_view);
template bool isOptionSet(const ConvolveJob&, std::string_view);
template bool isOptionSet(const FeaturesJob&, std::string_view);
template void setOption(Job&, std::string_view, const std::optional<std::string>&);
template void setOption(ConvolveJob&, std::string_view, const std::optional<std::string>&);
template void setOption(FeaturesJob&, std::string_view, const std::optional<std::string>&);

std::optional<std::string> checkedOption(std::string_view command, std::string_view option,
                                         const std::optional<std::string>& text) {
    AnyJob scratch = kindOf(command);
    return std::visit(
        [&](auto& job) {
            setOption(job, option, text);
            return optionText(job, option);
        },
        scratch);
}

std::vector<std::string> toArguments(const AnyJob& job) {
    return std::visit([](const auto& one) { return tableOf(one).toArguments(one); }, job);
}

std::string toCommandLine(const AnyJob& job) {
    return std::visit([](const auto& one) { return tableOf(one).toCommandLine(one); }, job);
}

std::string toJobFile(const AnyJob& job) {
    return std::visit([](const auto& one) { return tableOf(one).toFile(one); }, job);
}

AnyJob anyFromJobFile(std::string_view text) {
    return std::visit([&](const auto& one) -> AnyJob { return tableOf(one).fromFile(text); },
                      kindOf(jobFileCommand(text)));
}

Job fromJobFile(std::string_view text) { return detail::matchOptions().fromFile(text); }

} // namespace flcc::job
