#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <locale>
#include <sstream>
#include <vector>

namespace flcc::base {

std::string oneLine(std::string_view text) {
    std::string line(text);
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto byte = static_cast<unsigned char>(line[i]);
        if (byte < 0x20 || byte == 0x7f) {
            line[i] = ' ';
        } else if (byte == 0xc2 && i + 1 < line.size()) {
            // U+0080 to U+009F in UTF-8; terminals obey some of them.
            const auto next = static_cast<unsigned char>(line[i + 1]);
            if (next >= 0x80 && next < 0xa0) {
                line[i] = ' ';
                line[i + 1] = ' ';
            }
        }
    }
    return line;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t kLongest = 200;
    if (text.size() <= kLongest) {
        return oneLine(text);
    }
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) {
        --end; // not inside a character of several bytes
    }
    return oneLine(text.substr(0, end)) + "...";
}

namespace {

constexpr std::string_view kBytes = "bytes:";

std::string hexOf(char letter, std::string_view digits) {
    const auto byte = static_cast<unsigned char>(letter);
    return {digits[byte / 16], digits[byte % 16]};
}

/// -1 for no digit.
int digitOf(char letter) {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                            : -1;
}

/// U+0000 to U+001F, U+007F to U+009F: one character in UTF-8.
bool isControl(std::string_view letter) {
    const auto first = static_cast<unsigned char>(letter[0]);
    return letter.size() == 1 ? first < 0x20 || first == 0x7f
                              : first == 0xc2 && static_cast<unsigned char>(letter[1]) < 0xa0;
}

} // namespace

std::size_t utf8Length(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = at(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xc0U) != 0x80) {
            return 0;
        }
    }
    // Longer than needed, a surrogate, or beyond U+10FFFF.
    const bool wrong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xed && at(1) >= 0xa0) ||
                       (first == 0xf0 && at(1) < 0x90) || (first == 0xf4 && at(1) >= 0x90);
    return wrong ? 0 : length;
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

std::string storedText(std::string_view name, std::string_view also) {
    if (isUtf8(name) && !name.starts_with(kBytes) &&
        name.find_first_of(also) == std::string_view::npos) {
        return std::string(name);
    }
    std::string text(kBytes);
    while (!name.empty()) {
        const std::size_t length = utf8Length(name);
        const bool kept = length > 0 && name[0] != '%' && also.find(name[0]) == also.npos;
        text +=
            kept ? std::string(name.substr(0, length)) : "%" + hexOf(name[0], "0123456789ABCDEF");
        name.remove_prefix(kept ? length : 1);
    }
    return text;
}

std::string restoredText(std::string_view text) {
    if (!text.starts_with(kBytes)) {
        return std::string(text);
    }
    std::string name;
    for (std::size_t i = kBytes.size(); i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? digitOf(text[i + 1]) : -1;
        const int low = high >= 0 ? digitOf(text[i + 2]) : -1;
        name += low >= 0 ? static_cast<char>(16 * high + low) : text[i];
        i += low >= 0 ? 2 : 0;
    }
    return name;
}

std::string visibleText(std::string_view text) {
    std::string visible;
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        const std::string_view letter = text.substr(0, std::max<std::size_t>(length, 1));
        if (letter == "\n" || letter == "\t" || (length > 0 && !isControl(letter))) {
            visible += letter;
        } else {
            for (const char byte : letter) {
                visible += "\\x" + hexOf(byte, "0123456789abcdef");
            }
        }
        text.remove_prefix(letter.size());
    }
    return visible;
}

std::string bytesText(std::int64_t count) {
    constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(count);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) {
        value /= 1024;
    }
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.setf(std::ios::fixed);
    out.precision(unit == 0 ? 0 : 1);
    out << value << " " << kUnits[unit];
    return out.str();
}

bool nestsTooDeep(std::string_view json) {
    constexpr std::size_t kDeepest = 100;
    constexpr int kMostKeys = 10'000;
    std::vector<int> keys; // of the objects that are open, 0 of a list
    int most = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char letter = json[i];
        if (quoted) {
            i += letter == '\\' ? 1 : 0;
            quoted = letter != '"';
        } else if (letter == '"') {
            quoted = true;
        } else if (letter == '[' || letter == '{') {
            keys.push_back(0);
        } else if (letter == ':' && !keys.empty()) {
            most = std::max(most, ++keys.back());
        } else if ((letter == ']' || letter == '}') && !keys.empty()) {
            keys.pop_back();
        }
        if (keys.size() > kDeepest || most > kMostKeys) {
            return true;
        }
    }
    return false;
}

} // namespace flcc::base
