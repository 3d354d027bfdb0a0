#include "engine/io/lists/plain_text.h"

#include <algorithm>

#include "engine/io/files/paths.h"

namespace flcc::io::detail::lists {

std::string_view plainText(std::string_view bytes, std::string& kept,
                           const std::filesystem::path& name) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    constexpr const char* kSave = "; save it as UTF-8 (spreadsheets call it \"CSV UTF-8\")";
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
        failInput(name, std::string("it is text in UTF-16") + kSave);
    }
    bytes.remove_prefix(bytes.starts_with(kMark) ? kMark.size() : 0);
    if (bytes.find('\0') != std::string_view::npos) {
        failInput(name,
                  std::string("it holds zero bytes: it is no text, or text in UTF-16") + kSave);
    }
    const auto alone = [&](std::size_t at) {
        return bytes[at] == '\r' && (at + 1 == bytes.size() || bytes[at + 1] != '\n');
    };
    std::size_t at = bytes.find('\r');
    while (at != std::string_view::npos && !alone(at)) {
        at = bytes.find('\r', at + 1);
    }
    if (at == std::string_view::npos) {
        return bytes;
    }
    kept = bytes;
    for (; at < bytes.size(); ++at) { // old programs of the Macintosh end lines by "\r"
        kept[at] = alone(at) ? '\n' : bytes[at];
    }
    return kept;
}

bool hasDecimalComma(std::string_view cell) {
    constexpr std::string_view kBlanks = " \t\r\"";
    while (!cell.empty() && kBlanks.find(cell.front()) != std::string_view::npos) {
        cell.remove_prefix(1);
    }
    while (!cell.empty() && kBlanks.find(cell.back()) != std::string_view::npos) {
        cell.remove_suffix(1);
    }
    cell.remove_prefix(cell.starts_with('-') || cell.starts_with('+') ? 1 : 0);
    const std::size_t comma = cell.find(',');
    const auto digits = [](std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return comma != std::string_view::npos && digits(cell.substr(0, comma)) &&
           digits(cell.substr(comma + 1, cell.find_first_of("eE") - comma - 1));
}

char separatorOf(std::string_view text, char usual) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with('#') || line.find_first_not_of(" \t\r") == std::string_view::npos) {
            continue;
        }
        if (line.find(usual) != std::string_view::npos) {
            return usual;
        }
        char best = usual;
        for (const char each : {'\t', ';', ','}) {
            best = std::ranges::count(line, each) > std::ranges::count(line, best) ? each : best;
        }
        return best;
    }
    return usual;
}

} // namespace flcc::io::detail::lists
