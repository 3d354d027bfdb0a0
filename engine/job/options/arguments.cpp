#include "engine/job/arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include <CLI/CLI.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/options/common_options.h"
#include "engine/job/options/options.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using Option = detail::Option<Job>;
using detail::ValueKind;

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

/// Options of the command line alone, which are no part of a job.
struct Switches {
    CLI::Option* job = nullptr;
    CLI::Option* saveJob = nullptr;
    CLI::Option* json = nullptr;
    CLI::Option* quiet = nullptr;
    CLI::Option* verbose = nullptr;
};

CLI::Option* addOption(CLI::App& app, const std::string& name, bool flag, bool repeats = false) {
    CLI::Option* const option =
        flag ? app.add_flag(name)->disable_flag_override() : app.add_option(name);
    // A second value is kept here, so that it can be refused by name.
    return option->multi_option_policy(repeats ? CLI::MultiOptionPolicy::TakeAll
                                               : CLI::MultiOptionPolicy::TakeLast);
}

Switches addSwitches(CLI::App& app) {
    return {addOption(app, "--job", false), addOption(app, "--save-job", false),
            addOption(app, "--json", true), addOption(app, "--quiet", true),
            addOption(app, "--verbose", true)};
}

void refuseLeftovers(const CLI::App& app) {
    std::vector<std::string> rest = app.remaining();
    std::erase(rest, "--"); // the mark itself, after which all arguments are plain
    for (const std::string& argument : rest) {
        if (argument.size() > 1 && argument.front() == '-') {
            refuse("unknown option " + base::excerpt(argument.substr(0, argument.find('='))) +
                   "; flcc-cli match --help lists the options");
        }
    }
    if (!rest.empty()) {
        refuse(
            "unexpected argument \"" + base::excerpt(rest.front()) +
            "\"; only a scene and one template can be given without an option; use --template for "
            "further templates and --scene for further scenes");
    }
}

void refuseDoubled(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() > 1 &&
            option->get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll) {
            refuse("option " + option->get_name() + " is given twice");
        }
    }
}

void parse(CLI::App& app, const std::vector<std::string>& args) {
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    try {
        app.parse(reversed);
    } catch (const CLI::ArgumentMismatch& error) {
        // "--map: 1 required ..." or "invert was given a disallowed ...".
        const std::string sentence = error.what();
        if (sentence.starts_with("--")) {
            refuse("option " + sentence.substr(0, sentence.find(':')) + " needs a value");
        }
        refuse("option --" + sentence.substr(0, sentence.find(' ')) + " takes no value");
    } catch (const CLI::ParseError& error) {
        refuse(error.what());
    }
    refuseLeftovers(app);
    refuseDoubled(app);
}

/// For names with control characters and with bytes that are no UTF-8: $'caf\xe9', which bash and
/// zsh read, and which shows and stores each byte.
std::string bytesQuoted(std::string_view text) {
    std::string result = "$'";
    while (!text.empty()) {
        const std::string_view letter =
            text.substr(0, std::max<std::size_t>(1, base::utf8Length(text)));
        const bool special = letter == "'" || letter == "\\";
        const std::string shown = letter == "\n"   ? "\\n"
                                  : letter == "\t" ? "\\t"
                                                   : base::visibleText(letter);
        result += (special ? "\\" : "") + shown;
        text.remove_prefix(letter.size());
    }
    return result + "'";
}

std::string quoted(const std::string& text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return std::isalnum(byte) != 0 ||
               std::string_view("-_./,:=+@%").find(c) != std::string::npos;
    });
    if (plain) {
        return text;
    }
    if (const std::string visible = base::visibleText(text);
        visible != text || text.find_first_of("\n\t") != std::string::npos) {
        return bytesQuoted(text);
    }
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

/// A plain argument that cannot be taken for an option.
std::string positional(const std::string& path) { return path.front() == '-' ? "./" + path : path; }

const char* pastSpaces(const char* at, const char* end) {
    return std::find_if(at, end, [](char letter) { return letter != ' '; });
}

std::vector<std::int64_t> parseNumbers(std::string_view text) {
    std::vector<std::int64_t> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        std::int64_t number = 0;
        const auto [rest, error] = std::from_chars(pastSpaces(at, end), end, number);
        if (error != std::errc{}) {
            return {};
        }
        numbers.push_back(number);
        const char* const next = pastSpaces(rest, end);
        if (next == end) {
            return numbers;
        }
        if (*next != ',') {
            return {};
        }
        at = next + 1;
    }
}

/// Options of one source cannot combine a plan report with options that the report decides. Between
/// sources the command line wins: it replaces the other kind of option in the job file.
void settlePlan(Job& job, const std::vector<std::string>& given) {
    const auto isGiven = [&](const std::string& name) {
        return std::find(given.begin(), given.end(), name) != given.end();
    };
    const auto& planned = detail::plannedOptions();
    const auto decided = std::find_if(planned.begin(), planned.end(), isGiven);
    if (isGiven("plan")) {
        if (decided != planned.end()) {
            detail::refuseBesidePlan(*decided);
        }
        job.takePlan(job.planReport);
    } else if (decided != planned.end()) {
        job.planReport.clear();
    }
}

} // namespace

ParsedArguments parseArguments(const std::vector<std::string>& args) {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::vector<CLI::Option*> given;
    for (const Option& option : detail::matchOptions().rows()) {
        given.push_back(
            addOption(app, "--" + option.name, option.kind == ValueKind::Flag, option.repeats()));
    }
    app.get_option("--scene")->expected(-1); // all names that follow, as of a pattern
    CLI::Option* const firstPlain = addOption(app, "first", false);
    CLI::Option* const secondPlain = addOption(app, "second", false);
    const Switches switches = addSwitches(app);
    parse(app, args);

    ParsedArguments parsed;
    if (switches.job->count() > 0) {
        parsed.jobFile = switches.job->results().front();
        parsed.job = fromJobFile(readJobFile(parsed.jobFile));
    }
    const bool crops = app.get_option("--crop")->count() > 0;
    if (secondPlain->count() > 0 && crops) {
        refuse(
            "with --crop, no template can follow the scene as a plain argument; write --template " +
            secondPlain->results().front());
    }
    // Templates on the command line replace all templates of the job file.
    if (crops || secondPlain->count() + app.get_option("--template")->count() > 0) {
        parsed.job.crops.clear();
        parsed.job.templates.clear();
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i]->count() > 0) {
            names.push_back(detail::matchOptions().rows()[i].name);
        }
    }
    settlePlan(parsed.job, names);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Option& option = detail::matchOptions().rows()[i];
        const CLI::Option* const plain = option.name == "scene"      ? firstPlain
                                         : option.name == "template" ? secondPlain
                                                                     : nullptr;
        std::vector<std::string> values = plain ? plain->results() : std::vector<std::string>{};
        values.insert(values.end(), given[i]->results().begin(), given[i]->results().end());
        if (values.empty()) {
            continue;
        }
        option.setValues(parsed.job, values);
    }
    if (switches.saveJob->count() > 0) {
        parsed.saveJob = switches.saveJob->results().front();
    }
    parsed.json = switches.json->count() > 0;
    parsed.quiet = switches.quiet->count() > 0;
    parsed.verbose = switches.verbose->count() > 0;
    if (parsed.quiet && parsed.verbose) {
        refuse("--quiet and --verbose cannot be used together");
    }
    detail::requireThreshold(parsed.job);
    return parsed;
}

std::vector<std::string> toArguments(const Job& job) {
    std::vector<std::string> arguments;
    // After --scene a plain argument would be one more scene.
    const bool plainTemplate = !job.scene.empty() && job.furtherScenes.empty() && job.crops.empty();
    for (const Option& option : detail::matchOptions().rows()) {
        bool first = true;
        for (const std::string& value : option.valuesOf(job)) {
            if (first && (option.positional || (option.name == "template" && plainTemplate))) {
                arguments.push_back(positional(value));
            } else if (option.kind == ValueKind::Flag) {
                arguments.push_back("--" + option.name);
            } else if (!value.empty() && value.front() == '-') {
                arguments.push_back("--" + option.name + "=" + value);
            } else {
                arguments.push_back("--" + option.name);
                arguments.push_back(value);
            }
            first = false;
        }
    }
    return arguments;
}

std::string toCommandLine(const Job& job) {
    std::string line = "flcc-cli match";
    for (const std::string& argument : toArguments(job)) {
        line += " " + quoted(argument);
    }
    return line;
}

std::string toJobFile(const Job& job) { return detail::matchOptions().toFile(job); }

Job fromJobFile(std::string_view text) {
    Job job;
    settlePlan(job, detail::matchOptions().setFromFile(job, text));
    detail::requireThreshold(job);
    return job;
}

base::Box parseBox(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        const std::vector<std::int64_t> corner = parseNumbers(text.substr(0, colon));
        const std::vector<std::int64_t> extents = parseNumbers(text.substr(colon + 1));
        const bool positive = std::all_of(extents.begin(), extents.end(),
                                          [](std::int64_t extent) { return extent >= 1; });
        if (corner.size() == extents.size() && positive && corner.size() == 2) {
            return {{corner[0], corner[1], 0}, {extents[0], extents[1], 1}};
        }
        if (corner.size() == extents.size() && positive && corner.size() == 3) {
            return {{corner[0], corner[1], corner[2]}, {extents[0], extents[1], extents[2]}};
        }
    }
    refuse("\"" + base::excerpt(text) +
           "\" is not a box; write X,Y:W,H or X,Y,Z:W,H,D with extents of at least 1");
}

base::Extents parseTile(std::string_view text) {
    constexpr std::int64_t kLongest = 1 << 24;
    const std::vector<std::int64_t> numbers = parseNumbers(text);
    const bool good = !numbers.empty() && numbers.size() <= 3 &&
                      std::all_of(numbers.begin(), numbers.end(),
                                  [](std::int64_t n) { return n >= 1 && n <= kLongest; });
    if (!good) {
        refuse("\"" + base::excerpt(text) +
               "\" is not a tile; write P, P,P or P,P,P with numbers from "
               "1 to " +
               std::to_string(kLongest));
    }
    if (numbers.size() == 1) {
        return {numbers[0], numbers[0], numbers[0]};
    }
    return {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0};
}

std::int64_t parseSize(std::string_view text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(pastSpaces(text.data(), end), end, number);
    std::string unit(pastSpaces(rest, end), end);
    unit.erase(unit.find_last_not_of(' ') + 1);
    std::transform(unit.begin(), unit.end(), unit.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view kPrefixes = "kmgt";
    double factor = unit.empty() || unit == "b" ? 1 : 0;
    if (const std::size_t power = unit.empty() ? kPrefixes.npos : kPrefixes.find(unit.front());
        power != kPrefixes.npos) {
        const std::string tail = unit.substr(1);
        const double base = tail == "b" ? 1000 : (tail.empty() || tail == "ib" ? 1024 : 0);
        factor = base == 0 ? 0 : std::pow(base, static_cast<double>(power + 1));
    }
    const double bytes = number * factor;
    if (error != std::errc{} || !(bytes >= 1 && bytes < 0x1p62)) {
        refuse("\"" + base::excerpt(text) +
               "\" is not a size; write it as 4GiB, 500 MB or 1048576");
    }
    return static_cast<std::int64_t>(bytes);
}

std::string argumentsHelp() {
    std::string text = detail::matchOptions().help();
    const auto add = [&](const std::string& left, const std::string& right) {
        text += detail::helpLine(left, right);
    };
    add("--job FILE", "read options from a job file; options on the command line override them");
    add("--save-job FILE", "write these options as a job file");
    add("--json", "print the report instead of the summary");
    add("--quiet", "print errors only");
    add("--verbose", "also print log messages");
    return text;
}

} // namespace flcc::job
