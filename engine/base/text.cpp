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
