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
#include "engine/io/lists/tomograms.h"

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

bool anyAngles(const PositionList& list) {
    return std::ranges::any_of(list.positions,
                               [](const ListedPosition& each) { return each.angles.has_value(); });
}

/// The fields that a list has: without angles and scores that nobody stated, z of a flat image.
std::vector<Field> fieldsOf(const PositionList& list, const Preset& preset) {
    std::vector<Field> fields;
    const bool angles = anyAngles(list);
    const bool scores = std::ranges::any_of(
        list.positions, [](const ListedPosition& each) { return each.score.has_value(); });
    const bool judged = isJudged(list);
    const bool dropsZ =
        list.place.flat() && preset.syntax == Syntax::Table && preset.header && preset.base[2] != 1;
    const bool flat = list.place.flat() && !preset.flatFields.empty();
    for (const Field& field : flat ? preset.flatFields : preset.fields) {
        const bool angle = field.holds >= Holds::Angle1 && field.holds <= Holds::Angle3;
        const bool depth = field.holds == Holds::Z || field.holds == Holds::Depth;
        const bool named = !field.name.empty() || field.holds == Holds::More;
        const bool missing = (angle && !angles) || (depth && dropsZ) ||
                             (field.holds == Holds::Score && !scores) ||
                             (field.holds == Holds::Decision && !judged);
        const bool written = named || preset.syntax == Syntax::Table;
        if (written && (!named || !missing)) {
            fields.push_back(field);
        }
    }
    return fields;
}

std::string tomogramOf(const PositionList& list, const Preset& preset) {
    if (const std::string& stated = list.place.unknowns.tomogram; !stated.empty()) {
        const bool ends = stated.ends_with(".tomostar");
        return preset.info.format == ListFormat::Warp && !ends ? stated + ".tomostar" : stated;
    }
    std::string name = std::filesystem::path(list.place.scene).stem().string();
    for (char& letter : name) {
        const auto byte = static_cast<unsigned char>(letter);
        letter = std::isalnum(byte) != 0 || letter == '_' || letter == '-' || letter == '.' ? letter
                                                                                            : '_';
    }
    // A row of a STAR file that begins with one of these reads as something else.
    const bool reserved =
        name.starts_with('_') || name.starts_with("data_") || name.starts_with("loop_");
    name = name.empty() ? "volume" : reserved ? "volume_" + name : name;
    return preset.info.format == ListFormat::Warp ? name + ".tomostar" : name;
}

std::string cellOf(const Field& field, const PositionList& list, std::size_t number,
                   const base::Point& stated, const base::Point& angles,
                   const std::string& tomogram) {
    const ListedPosition& position = list.positions[number];
    const auto angle = [&](std::size_t i) { return numberText(angles[i]); };
    switch (field.holds) {
    case Holds::Rank:
        return std::to_string(number + 1);
    case Holds::Index:
        return std::to_string(number);
    case Holds::X:
        return numberText(stated[0]);
    case Holds::Y:
        return numberText(stated[1]);
    case Holds::Z:
        return numberText(stated[2]);
    case Holds::Width:
        return std::to_string(position.box.x);
    case Holds::Height:
        return std::to_string(position.box.y);
    case Holds::Depth:
        return std::to_string(position.box.z);
    case Holds::Score:
        return position.score ? numberText(*position.score) : "nan"; // 0 would be a score
    case Holds::Angle1:
        return angle(0);
    case Holds::Angle2:
        return angle(1);
    case Holds::Angle3:
        return angle(2);
    case Holds::Tomogram:
        return tomogram;
    case Holds::Decision:
        return decisionText(position);
    case Holds::Constant:
    case Holds::TomogramNumber:
    case Holds::Shift1:
    case Holds::Shift2:
    case Holds::Shift3:
    case Holds::More:
        break;
    }
    return std::string(field.constant);
}

/// Throws for columns of RELION that move or turn the positions of other columns.
void requireNoShifts(const Sheet& sheet, const std::filesystem::path& name) {
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
        const std::string& column = sheet.columns[i];
        const bool moves = column.starts_with("rlnOrigin") || column.starts_with("rlnTomoSubtomo");
        for (const auto& row : sheet.rows) {
            if (moves && i < row.size() && numberOf(row[i]).value_or(0) != 0) {
                failInput(name, "its column " + column +
                                    " moves or turns the positions, which is not supported; let "
                                    "RELION apply it first");
            }
        }
    }
}

} // namespace

int Sheet::column(std::string_view name) const {
    const auto found = std::ranges::find(columns, name);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
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

Sheet readTable(std::string_view text, char separator, bool header) {
    Sheet sheet;
    forLines(text, [&](std::string_view line) {
        if (trimmed(line).empty()) {
            return;
        }
        if (line.starts_with('#')) {
            sheet.comments.emplace_back(trimmed(line.substr(1)));
        } else if (header && sheet.columns.empty()) {
            sheet.columns = cellsOf(line, separator);
        } else {
            sheet.rows.push_back(cellsOf(line, separator));
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

Sheet readStar(std::string_view text, std::string_view known, const std::filesystem::path& name) {
    Sheet found;
    std::string columns;
    for (const StarTable& table : starTables(text, name)) {
        if (!table.column(known)) {
            for (const std::string_view each : table.columns) {
                columns += (columns.empty() ? "_" : ", _") + std::string(each);
            }
            continue;
        }
        found.columns.assign(table.columns.begin(), table.columns.end());
        for (const auto& row : table.rows) {
            found.rows.emplace_back(row.begin(), row.end());
        }
        break;
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

std::string starText(const Sheet& sheet, std::string_view block) {
    std::string text = commentLines(sheet.comments) + "\n" + std::string(block) + "\n\nloop_\n";
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
        text += "_" + sheet.columns[i] + " #" + std::to_string(i + 1) + "\n";
    }
    for (const auto& row : sheet.rows) {
        std::string line;
        for (const std::string& value : row) {
            line += (line.empty() ? "" : "\t") + starValue(value);
        }
        text += line + "\n";
    }
    return text;
}

Sheet sheetOf(const PositionList& list, const Preset& preset) {
    Sheet sheet;
    const std::vector<Field> fields = fieldsOf(list, preset);
    const std::string tomogram = tomogramOf(list, preset);
    std::vector<std::size_t> more;
    for (std::size_t i = 0; i < list.columns.size(); ++i) {
        if (list.columns[i].more) {
            more.push_back(i);
        }
    }
    for (const Field& field : fields) {
        if (field.holds == Holds::More) {
            for (const std::size_t column : more) {
                std::string name = list.columns[column].name;
                name.front() = static_cast<char>(std::toupper(name.front()));
                sheet.columns.push_back(name);
            }
        } else if (field.name == "Score") {
            std::string name = list.scoreName;
            name.front() = static_cast<char>(std::toupper(name.front()));
            sheet.columns.push_back(name);
        } else if (!field.name.empty()) {
            sheet.columns.emplace_back(field.name);
        }
    }
    for (std::size_t i = 0; i < list.positions.size(); ++i) {
        const ListedPosition& position = list.positions[i];
        const base::Point stated =
            toFormat(preset, list.place, statedPoint(preset, list, position), position.box);
        const base::Point angles =
            position.angles ? toAngles(preset.angles, *position.angles) : base::Point{0, 0, 0};
        std::vector<std::string>& row = sheet.rows.emplace_back();
        for (const Field& field : fields) {
            if (field.holds == Holds::More) {
                for (const std::size_t column : more) {
                    row.push_back(position.cells.at(column));
                }
            } else {
                row.push_back(cellOf(field, list, i, stated, angles, tomogram));
            }
        }
    }
    return sheet;
}

namespace {

/// The number of the column that names the tomogram of a row; -1 without one. Warp's lists of
/// before July 2024 have it as that of a micrograph.
int tomogramColumn(const Sheet& sheet, std::span<const Field> fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].holds == Holds::TomogramNumber) {
            return static_cast<int>(i);
        }
        if (fields[i].holds == Holds::Tomogram) {
            const int own = sheet.column(fields[i].name);
            return own >= 0 ? own : sheet.column("rlnMicrographName");
        }
    }
    return -1;
}

/// The rows that belong to the scene.
std::vector<std::size_t> rowsIn(const Sheet& sheet, int column, PositionList& list,
                                const std::filesystem::path& name) {
    if (column < 0) {
        std::vector<std::size_t> all(sheet.rows.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        return all;
    }
    const auto at = static_cast<std::size_t>(column);
    std::vector<std::string> names;
    for (const auto& row : sheet.rows) {
        names.push_back(at < row.size() ? row[at] : std::string());
    }
    return rowsOfScene(names, list, name);
}

} // namespace

void takeSheet(const Sheet& sheet, const Preset& preset, PositionList& list,
               const std::filesystem::path& name) {
    // Columns by name or, in files without names, by place.
    std::array<int, 32> columns{};
    columns.fill(-1);
    requireNoShifts(sheet, name);
    const auto missing = [&](const Field& field) {
        return field.holds == Holds::X && sheet.column(field.name) < 0;
    };
    const bool flat = !preset.flatFields.empty() && std::ranges::any_of(preset.fields, missing);
    const std::span<const Field> fields = flat ? preset.flatFields : preset.fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Field& field = fields[i];
        int& column = columns.at(static_cast<std::size_t>(field.holds));
        column = !field.name.empty() ? sheet.column(field.name) : static_cast<int>(i);
        if (field.name == "Score" && column < 0) {
            column = sheet.column("Strength");
        }
    }
    for (const std::size_t number : rowsIn(sheet, tomogramColumn(sheet, fields), list, name)) {
        const auto& row = sheet.rows[number];
        const std::size_t line = number + 1;
        const auto value = [&](Holds holds) -> std::optional<double> {
            const int column = columns.at(static_cast<std::size_t>(holds));
            return column >= 0 && static_cast<std::size_t>(column) < row.size()
                       ? numberOf(row[static_cast<std::size_t>(column)])
                       : std::nullopt;
        };
        const auto x = value(Holds::X);
        const auto y = value(Holds::Y);
        if (!x || !y) {
            failInput(name, "row " + std::to_string(line) +
                                " of the list has no numbers for x "
                                "and y");
        }
        ListedPosition position;
        position.score = value(Holds::Score);
        const int judged = columns.at(static_cast<std::size_t>(Holds::Decision));
        if (judged >= 0 && static_cast<std::size_t>(judged) < row.size()) {
            position.decision = match::decisionNamed(row[static_cast<std::size_t>(judged)]);
        }
        const auto length = [&](Holds holds) {
            const double edge = value(holds).value_or(0);
            return edge >= 1 && edge < 1e9 ? static_cast<std::int64_t>(edge) : 0;
        };
        position.box = {length(Holds::Width), length(Holds::Height), length(Holds::Depth)};
        if (position.box.x > 0 && position.box.z == 0) {
            position.box.z = 1;
        }
        const base::Extents& given = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
        position.box = position.box.x > 0 ? position.box : given;
        const base::Extents box = position.box.x > 0 ? position.box : base::Extents{1, 1, 1};
        const base::Point first = toFormat(preset, list.place, {0, 0, 0}, box);
        const base::Point point = fromFormat(
            preset, list.place,
            {*x + value(Holds::Shift1).value_or(0), *y + value(Holds::Shift2).value_or(0),
             value(Holds::Z).value_or(first[2]) + value(Holds::Shift3).value_or(0)},
            box);
        const auto a = value(Holds::Angle1);
        const auto b = value(Holds::Angle2);
        const auto c = value(Holds::Angle3);
        if (a && b && c) {
            position.angles = fromAngles(preset.angles, {*a, *b, *c});
        }
        placeAt(preset, list, point, position);
        list.positions.push_back(std::move(position));
    }
}

} // namespace flcc::io::detail::lists
