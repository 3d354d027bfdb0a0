#include "engine/io/format/star_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"

namespace flcc::io::detail {

namespace {

bool isBlank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

/// The values of a line, without quotes.
std::vector<std::string_view> valuesIn(std::string_view line, const std::filesystem::path& path) {
    std::vector<std::string_view> values;
    for (std::size_t at = 0; at < line.size();) {
        if (isBlank(line[at])) {
            ++at;
            continue;
        }
        if (line[at] == '#') {
            break;
        }
        const bool quoted = line[at] == '"' || line[at] == '\'';
        std::size_t end = at + 1;
        // A quote inside ends the value only before a blank.
        while (end < line.size() &&
               (quoted ? line[end] != line[at] || (end + 1 < line.size() && !isBlank(line[end + 1]))
                       : !isBlank(line[end]))) {
            ++end;
        }
        if (quoted && end == line.size()) {
            failInput(path,
                      "the quotes of \"" + base::excerpt(line.substr(at)) + "\" are not closed");
        }
        values.push_back(quoted ? line.substr(at + 1, end - at - 1) : line.substr(at, end - at));
        at = end + (quoted ? 1 : 0);
    }
    return values;
}

std::optional<double> valueOf(std::string_view text) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && rest == text.data() + text.size() && std::isfinite(value)
               ? std::optional(value)
               : std::nullopt;
}

} // namespace

std::optional<std::size_t> StarTable::column(std::string_view wanted) const {
    const auto found = std::ranges::find(columns, wanted);
    return found == columns.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

std::string_view StarTable::text(std::size_t row, std::string_view wanted) const {
    const auto own = column(wanted);
    return own ? rows[row][*own] : std::string_view();
}

std::optional<double> StarTable::number(std::size_t row, std::string_view wanted,
                                        const std::filesystem::path& path) const {
    if (!column(wanted)) {
        return std::nullopt;
    }
    const auto value = valueOf(text(row, wanted));
    if (!value) {
        failInput(path, std::string(wanted) + " of row " + std::to_string(row + 1) + " is \"" +
                            base::excerpt(text(row, wanted)) + "\", which is no number");
    }
    return value;
}

std::vector<StarTable> starTables(std::string_view text, const std::filesystem::path& path) {
    std::vector<StarTable> tables;
    bool loop = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::vector<std::string_view> words = valuesIn(line, path);
        if (words.empty()) {
            continue;
        }
        if (words[0].starts_with("data_")) {
            tables.push_back({.name = words[0].substr(5), .columns = {}, .rows = {}});
            loop = false;
            continue;
        }
        if (tables.empty()) {
            failInput(path, "it is no STAR file: a line lies before the first data_ block");
        }
        if (words[0] == "loop_") {
            if (!tables.back().columns.empty()) { // one more table of the block
                tables.push_back({.name = tables.back().name, .columns = {}, .rows = {}});
            }
            loop = true;
            continue;
        }
        StarTable& table = tables.back();
        if (words[0].starts_with('_') && (!loop || table.rows.empty())) {
            table.columns.push_back(words[0].substr(1));
            if (!loop) {
                table.rows.resize(1);
                table.rows[0].push_back(words.size() > 1 ? words[1] : std::string_view());
            }
        } else if (words.size() == table.columns.size() && loop) {
            table.rows.push_back(words);
        } else {
            failInput(path, "the row \"" + base::excerpt(line) + "\" has " +
                                std::to_string(words.size()) + " values for " +
                                std::to_string(table.columns.size()) + " columns");
        }
    }
    return tables;
}

} // namespace flcc::io::detail
