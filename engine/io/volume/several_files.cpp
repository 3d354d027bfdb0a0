#include "engine/io/volume/several_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

/// A printf conversion of an integer between two texts. printf is not called with texts of a file.
struct Pattern {
    std::string before;
    std::string after;
    bool zeros = false;
    bool left = false;
    bool plus = false;
    std::size_t width = 0;
    std::size_t digits = 0; ///< precision
};

std::optional<Pattern> patternOf(const std::string& text) {
    constexpr std::size_t kWidest = 64;
    Pattern pattern;
    bool found = false;
    const auto number = [&](std::size_t& at) {
        std::size_t value = 0;
        for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at) {
            value = std::min(kWidest + 1, 10 * value + static_cast<std::size_t>(text[at] - '0'));
        }
        return value;
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string& target = found ? pattern.after : pattern.before;
        if (text[at] != '%') {
            target += text[at];
            continue;
        }
        if (++at < text.size() && text[at] == '%') {
            target += '%';
            continue;
        }
        for (; at < text.size() && std::string_view("0-+ ").find(text[at]) != std::string::npos;
             ++at) {
            pattern.zeros = pattern.zeros || text[at] == '0';
            pattern.left = pattern.left || text[at] == '-';
            pattern.plus = pattern.plus || text[at] == '+';
        }
        pattern.width = number(at);
        if (at < text.size() && text[at] == '.') {
            pattern.digits = number(++at);
        }
        if (found || at >= text.size() || (text[at] != 'd' && text[at] != 'i' && text[at] != 'u') ||
            pattern.width > kWidest || pattern.digits > kWidest) {
            return std::nullopt;
        }
        found = true;
    }
    return found ? std::optional(pattern) : std::nullopt;
}

std::string nameOf(const Pattern& pattern, std::int64_t number) {
    std::string digits = std::to_string(std::abs(number));
    digits.insert(0, pattern.digits - std::min(pattern.digits, digits.size()), '0');
    const std::string sign = number < 0 ? "-" : pattern.plus ? "+" : "";
    const std::size_t length = sign.size() + digits.size();
    const std::string fill(pattern.width - std::min(pattern.width, length),
                           pattern.zeros && !pattern.left && pattern.digits == 0 ? '0' : ' ');
    const std::string filled = pattern.left            ? sign + digits + fill
                               : fill.starts_with('0') ? sign + fill + digits
                                                       : fill + sign + digits;
    return pattern.before + filled + pattern.after;
}

} // namespace

bool isList(const std::string& text) {
    return text == "LIST" || text.starts_with("LIST ") || text.starts_with("LIST\t");
}

std::vector<std::int64_t> wholeNumbers(const std::string& text) {
    std::vector<std::int64_t> numbers;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        std::int64_t value = 0;
        const char* const last = word.data() + word.size();
        const auto result = std::from_chars(word.data(), last, value);
        if (result.ec != std::errc() || result.ptr != last) {
            return {};
        }
        numbers.push_back(value);
    }
    return numbers;
}

std::vector<std::string> namesOf(const std::filesystem::path& header, const NumberedFiles& files,
                                 std::int64_t count) {
    constexpr std::int64_t kFarthest = std::int64_t{1} << 40;
    const std::optional<Pattern> pattern = patternOf(files.pattern);
    if (!pattern) {
        failInput(header, "the name of its files of pixels, " + inQuotes(files.pattern) +
                              ", has not one number such as %03d");
    }
    const auto near = [](std::int64_t number) { return number > -kFarthest && number < kFarthest; };
    const bool usable = near(files.first) && near(files.last) && near(files.step) &&
                        files.step != 0 && (files.last - files.first) / files.step >= 0;
    const std::int64_t there = usable ? (files.last - files.first) / files.step + 1 : 0;
    constexpr std::int64_t kMost = 1'000'000;
    if (there != count || count > kMost) {
        failInput(header, "its files of pixels are numbered " + std::to_string(files.first) +
                              " to " + std::to_string(files.last) + " by " +
                              std::to_string(files.step) + ", but its extents need " +
                              std::to_string(count) + " files");
    }
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < count; ++i) {
        names.push_back(nameOf(*pattern, files.first + i * files.step));
    }
    return names;
}

void setFiles(const std::filesystem::path& header, const std::vector<std::string>& names,
              std::int64_t count, Described& described) {
    if (static_cast<std::int64_t>(names.size()) != count || names.empty()) {
        failInput(header, "it names " + std::to_string(names.size()) +
                              " files of pixels, but its extents need " + std::to_string(count));
    }
    RawLayout& layout = described.place.layout;
    described.headerFile = header;
    layout.file = requireNeighbour(header, names.front());
    layout.offset = 0;
    for (std::size_t i = 1; i < names.size(); ++i) {
        layout.more.push_back({requireNeighbour(header, names[i]), 0});
    }
    forParts(layout, [](const RawPart& part) { (void)requireRegularFile(part.file); });
    if (names.size() > 1) {
        described.info.files = static_cast<int>(names.size()) + 1;
        described.info.notes.push_back("its pixels lie in " + std::to_string(names.size()) +
                                       " files, " + shown(names.front()) + " to " +
                                       shown(names.back()));
    }
}

} // namespace flcc::io::detail
