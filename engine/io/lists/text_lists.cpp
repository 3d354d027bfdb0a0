#include "engine/io/lists/text_lists.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/format/star_table.h"
#include "engine/io/lists/plain_text.h"

namespace flcc::io::detail::lists {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r";
    const std::size_t first = text.find_first_not_of(kSpace);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string> wordsOf(std::string_view line) {
    std::vector<std::string> words;
    while (!(line = trimmed(line)).empty()) {
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        words.emplace_back(line.substr(0, end));
        line.remove_prefix(end);
    }
    return words;
}

std::vector<std::string> cellsOf(std::string_view line, char separator) {
    if (separator == ' ') {
        return wordsOf(line);
    }
    std::vector<std::string> cells(1);
    bool quoted = false;
    bool closed = false; // the letter before ended a quoted part
    for (const char letter : line) {
        const bool again = std::exchange(closed, false) && letter == '"';
        if (again) {
            cells.back() += letter; // "" inside quotes is one
        }
        if (letter == '"') {
            closed = quoted;
            quoted = !quoted;
        } else if (letter == separator && !quoted) {
            cells.emplace_back();
        } else if (letter != '\r') {
            cells.back() += letter;
        }
    }
    return cells;
}

/// Calls `take` with every line, without its end.
template <class Take> void forLines(std::string_view text, const Take& take) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        take(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// A cell as RFC 4180 has it: in quotes where it would read as something else. Where a spreadsheet
/// would compute it, an apostrophe comes first.
std::string quotedCell(const std::string& stated, char separator) {
    const std::string cell = isFormula(stated) ? "'" + stated : stated;
    if (cell.find(separator) == std::string::npos && cell.find('"') == std::string::npos &&
        !cell.starts_with('#')) {
        return cell;
    }
    std::string quoted = "\"";
    for (const char letter : cell) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + '"';
}

} // namespace

bool isFormula(const std::string& cell) {
    constexpr std::string_view kBeginnings = "=+-@";
    return cell.size() > 1 && kBeginnings.find(cell.front()) != std::string_view::npos &&
           !numberOf(cell);
}

namespace {

std::string joined(const std::vector<std::string>& cells, char separator) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += (i == 0 ? "" : std::string(1, separator)) + quotedCell(cells[i], separator);
    }
    return line;
}

std::string commentLines(const std::vector<std::string>& comments) {
    std::string text;
    for (const std::string& line : comments) {
        text += "# " + line + "\n";
    }
    return text;
}

} // namespace

int Sheet::column(std::string_view name) const {
    const auto found = std::ranges::find(columns, name);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

int Sheet::anyCaseColumn(std::string_view name) const {
    const auto same = [&](const std::string& column) {
        return std::ranges::equal(trimmed(column), name, [](unsigned char a, unsigned char b) {
            return std::tolower(a) == std::tolower(b);
        });
    };
    const int own = column(name);
    const auto found = std::ranges::find_if(columns, same);
    return own >= 0 || found == columns.end() ? own : static_cast<int>(found - columns.begin());
}

std::optional<double> numberIn(const std::vector<std::string>& row, int column,
                               const std::filesystem::path& name) {
    const auto at = static_cast<std::size_t>(column);
    if (column < 0 || at >= row.size()) {
        return std::nullopt;
    }
    if (hasDecimalComma(row[at])) {
        failInput(name, "\"" + base::excerpt(row[at]) +
                            "\" has a decimal comma; write numbers with a point");
    }
    return numberOf(row[at]);
}

std::optional<double> numberOf(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Sheet readTable(std::string_view text, char separator, bool header,
                const std::filesystem::path& name) {
    Sheet sheet;
    separator = header ? separatorOf(text, separator) : separator;
    forLines(text, [&](std::string_view line) {
        if (trimmed(line).empty()) {
            return;
        }
        if (line.starts_with('#')) {
            sheet.comments.emplace_back(trimmed(line.substr(1)));
        } else if (header && sheet.columns.empty()) {
            sheet.columns = cellsOf(line, separator);
        } else {
            std::vector<std::string>& row = sheet.rows.emplace_back(cellsOf(line, separator));
            while (header && row.size() > sheet.columns.size() && trimmed(row.back()).empty()) {
                row.pop_back(); // separators at the end of lines
            }
            if (header && row.size() > sheet.columns.size()) {
                failInput(name, "row " + std::to_string(sheet.rows.size()) + " has " +
                                    std::to_string(row.size()) + " cells for " +
                                    std::to_string(sheet.columns.size()) +
                                    " columns; write numbers with a point, not a decimal comma, "
                                    "and texts with separators in quotes");
            }
        }
    });
    return sheet;
}

std::string tableText(const Sheet& sheet, char separator) {
    std::string text = commentLines(sheet.comments);
    if (!sheet.columns.empty()) {
        text += joined(sheet.columns, separator) + "\n";
    }
    for (const auto& row : sheet.rows) {
        text += joined(row, separator) + "\n";
    }
    return text;
}

namespace {

/// Takes a length that tables state, which must agree.
void takePixel(double stated, const char* what, std::optional<double>& known,
               const std::filesystem::path& name) {
    if (known && differ(stated, *known)) {
        failInput(name, std::string("it states two pixels of ") + what + ": " + numberText(*known) +
                            " and " + numberText(stated) +
                            " angstrom; leave the rows of one of them");
    }
    known = stated;
}

/// The pixel of the tilt series by the groups of optics of RELION, and that of rows of Warp.
void takePixels(const StarTable& table, Sheet& found, const std::filesystem::path& name) {
    const auto at = [&](std::size_t row, const char* column) {
        return table.column(column) ? numberOf(table.text(row, column)).value_or(0) : 0;
    };
    const bool placed = table.column("rlnCoordinateX").has_value();
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (const double series = at(row, "rlnTomoTiltSeriesPixelSize"); series > 0) {
            takePixel(series, "the tilt series", found.seriesPixel, name);
        }
        const double pixel = at(row, "rlnPixelSize");
        const double magnified = at(row, "rlnMagnification");
        const double detector = at(row, "rlnDetectorPixelSize"); // micrometres
        const double own = pixel > 0 ? pixel : magnified > 0 ? detector * 1e4 / magnified : 0;
        if (placed && own > 0) {
            takePixel(own, "its rows", found.rowPixel, name);
        }
    }
}

} // namespace

Sheet readStar(std::string_view text, std::string_view known, const std::filesystem::path& name) {
    Sheet found;
    std::string columns;
    std::string first; // the name of the block that was taken
    for (const StarTable& table : starTables(text, name)) {
        takePixels(table, found, name);
        if (!table.column(known)) {
            for (const std::string_view each : table.columns) {
                columns += (columns.empty() ? "_" : ", _") + std::string(each);
            }
            continue;
        }
        if (!found.rows.empty() && !table.rows.empty()) {
            failInput(name, "two of its tables have positions (data_" + base::excerpt(first) +
                                " and data_" + base::excerpt(table.name) +
                                "); leave the one that is meant");
        }
        if (!found.columns.empty() && table.rows.empty()) {
            continue;
        }
        first = table.name;
        found.columns.assign(table.columns.begin(), table.columns.end());
        for (const auto& row : table.rows) {
            found.rows.emplace_back(row.begin(), row.end());
        }
    }
    if (found.columns.empty()) {
        failInput(name, "it holds no positions of this format: it has no column _" +
                            std::string(known) +
                            (columns.empty() ? "" : ", but " + base::excerpt(columns)));
    }
    forLines(text, [&](std::string_view line) {
        line = trimmed(line);
        if (line.starts_with('#')) {
            found.comments.emplace_back(trimmed(line.substr(1)));
        }
    });
    return found;
}

namespace {

/// A value of a STAR file: in quotes where it would read as several or as something else.
std::string starValue(const std::string& value) {
    const bool plain = !value.empty() && value.find_first_of(" \t") == std::string::npos &&
                       std::string_view("_#'\"").find(value.front()) == std::string_view::npos &&
                       !value.starts_with("data_") && !value.starts_with("loop_");
    const char quote = value.find('"') == std::string::npos ? '"' : '\'';
    return plain ? value : quote + value + quote;
}

} // namespace

std::string starText(const Sheet& sheet, std::string_view block, bool numbered) {
    std::string text = commentLines(sheet.comments) + "\n" + std::string(block) + "\n\nloop_\n";
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
        text += "_" + sheet.columns[i] + (numbered ? " #" + std::to_string(i + 1) : "") + "\n";
    }
    text += numbered ? "" : "\n";
    for (const auto& row : sheet.rows) {
        std::string line;
        for (const std::string& value : row) {
            line += (line.empty() ? "" : "\t") + starValue(value);
        }
        text += line + "\n";
    }
    return text;
}

} // namespace flcc::io::detail::lists
