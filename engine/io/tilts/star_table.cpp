#include "engine/io/tilts/star_table.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/tilts/tilt_text.h"

namespace flcc::io::detail::tilts {

namespace {

std::string_view withoutQuotes(std::string_view word) {
    const bool quoted = word.size() >= 2 && (word.front() == '"' || word.front() == '\'') &&
                        word.back() == word.front();
    return quoted ? word.substr(1, word.size() - 2) : word;
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
    const auto value = numberIn(text(row, wanted));
    if (!value) {
        failInput(path, std::string(wanted) + " of row " + std::to_string(row + 1) + " is \"" +
                            base::excerpt(text(row, wanted)) + "\", which is no number");
    }
    return value;
}

std::vector<StarTable> starTables(std::string_view text, const std::filesystem::path& path) {
    std::vector<StarTable> tables;
    bool loop = false;
    for (const std::string_view line : linesIn(text)) {
        const std::vector<std::string_view> words = wordsIn(line);
        if (words.empty() || words[0].starts_with('#')) {
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
        StarTable& table = tables.back();
        if (words[0] == "loop_") {
            loop = true;
        } else if (words[0].starts_with('_') && (!loop || table.rows.empty())) {
            table.columns.push_back(words[0].substr(1));
            if (!loop) {
                table.rows.resize(1);
                table.rows[0].push_back(words.size() > 1 ? withoutQuotes(words[1])
                                                         : std::string_view());
            }
        } else if (words.size() == table.columns.size() && loop) {
            std::vector<std::string_view>& row = table.rows.emplace_back();
            std::ranges::transform(words, std::back_inserter(row), withoutQuotes);
        } else {
            failInput(path, "the row \"" + base::excerpt(line) + "\" has " +
                                std::to_string(words.size()) + " values for " +
                                std::to_string(table.columns.size()) + " columns");
        }
    }
    return tables;
}

} // namespace flcc::io::detail::tilts
