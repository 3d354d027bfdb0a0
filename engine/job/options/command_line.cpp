#include "engine/job/command_line.h"

#include <algorithm>
#include <cctype>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace {

[[noreturn]] void refuseLine(const std::string& sentence) {
    throw base::Error(base::ErrorCode::CommandLine, sentence);
}

/// A dash alone stands for a file, and "-0.5" is a number.
bool looksLikeOption(const std::string& text) {
    return text.size() > 1 && text.front() == '-' && text[1] != '.' &&
           std::isdigit(static_cast<unsigned char>(text[1])) == 0;
}

const CommandOption& knownOption(const std::string& command,
                                 const std::vector<CommandOption>& known, const std::string& text) {
    constexpr std::size_t kMostListed = 20;
    const auto found =
        text.starts_with("--")
            ? std::ranges::find(known, std::string_view(text).substr(2), &CommandOption::name)
            : known.end();
    if (found == known.end()) {
        refuseLine("unknown option " + base::excerpt(text) + "; " +
                   (known.size() > kMostListed ? "flcc-cli --help lists those of " + command
                    : known.empty()
                        ? command + " takes no options; write -- before a name that begins with -"
                        : command + " takes " + listOf(known)));
    }
    return *found;
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

} // namespace

const std::string* valueOf(const GivenOptions& options, std::string_view name) {
    const auto found = options.find(name);
    return found == options.end() ? nullptr : &found->second.front();
}

CommandLine splitArguments(const std::string& command, const std::vector<CommandOption>& known,
                           const std::vector<std::string>& args) {
    CommandLine line;
    const std::size_t marked =
        static_cast<std::size_t>(std::ranges::find(args, "--") - args.begin());
    for (std::size_t i = 0; i < marked; ++i) {
        if (!looksLikeOption(args[i])) {
            line.plain.push_back(args[i]);
            continue;
        }
        const std::size_t equals = args[i].find('=');
        const std::string text = args[i].substr(0, equals);
        const CommandOption& option = knownOption(command, known, text);
        std::vector<std::string>& values = line.options[option.name];
        if (!values.empty() && option.times == OptionTimes::Once) {
            refuseLine("option " + text + " is given twice");
        }
        const auto isValue = [&](std::size_t at) {
            return at < marked && !looksLikeOption(args[at]);
        };
        if (option.value.empty()) {
            if (equals != std::string::npos) {
                refuseLine("option " + text + " takes no value");
            }
            values.emplace_back();
            continue;
        }
        if (equals != std::string::npos) {
            values.push_back(args[i].substr(equals + 1));
        } else if (i + 1 < marked && !args[i + 1].starts_with("--")) {
            values.push_back(args[++i]); // "-new": options have two dashes
        } else {
            refuseLine("option " + text + " needs a value" +
                       (i + 1 < args.size() ? "; one that begins with - is written " + text + "=" +
                                                  base::excerpt(args[i + 1])
                                            : ""));
        }
        while (option.times == OptionTimes::Many && isValue(i + 1)) {
            values.push_back(args[++i]);
        }
    }
    if (marked < args.size()) {
        line.plain.insert(line.plain.end(), args.begin() + static_cast<std::ptrdiff_t>(marked) + 1,
                          args.end());
    }
    return line;
}

std::string listOf(const std::vector<CommandOption>& options) {
    std::string list;
    for (std::size_t i = 0; i < options.size(); ++i) {
        list += i == 0 ? "--" : i + 1 == options.size() ? " and --" : ", --";
        list += options[i].name + (options[i].value.empty() ? "" : " " + options[i].value);
    }
    return list;
}

std::string helpOf(const std::vector<CommandOption>& options) {
    std::string text;
    for (const CommandOption& option : options) {
        text += detail::helpLine(
            "--" + option.name + (option.value.empty() ? "" : " " + option.value), option.help);
    }
    return text;
}

std::string shellLine(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        line += (line.empty() ? "" : " ") + quoted(word);
    }
    return line;
}

} // namespace flcc::job
