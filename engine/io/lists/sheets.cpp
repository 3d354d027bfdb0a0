// Rows of fields for positions, and positions from rows.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/lists/adapted_sheet.h"
#include "engine/io/lists/text_lists.h"
#include "engine/io/lists/tomograms.h"

namespace flcc::io::detail::lists {

namespace {

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
        const bool missing =
            ((angle && !angles) || (depth && dropsZ) || (field.holds == Holds::Score && !scores) ||
             (field.holds == Holds::Decision && !judged)) &&
            !preset.complete;
        const bool written = named || preset.syntax == Syntax::Table;
        if (written && (!named || !missing)) {
            fields.push_back(field);
        }
    }
    return fields;
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
    case Holds::TomogramNumber: {
        const std::string& named = list.place.unknowns.tomogram;
        const bool isNumber =
            !named.empty() && named.find_first_not_of("0123456789") == std::string::npos;
        return isNumber ? named : std::string(field.constant);
    }
    case Holds::Constant:
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

Sheet sheetOf(const PositionList& list, const Preset& preset) {
    Sheet sheet;
    const std::vector<Field> fields = fieldsOf(list, preset);
    const std::string tomogram = tomogramOf(list.place, preset.info.format);
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
        base::Point stated =
            toFormat(preset, list.place, statedPoint(preset, list, position), position.box);
        base::Point rest{0, 0, 0};
        for (std::size_t axis = 0; axis < (preset.split ? 3U : 0U); ++axis) {
            const double whole = std::floor(stated[axis] + 0.5);
            rest[axis] = stated[axis] - whole;
            stated[axis] = whole;
        }
        const base::Point angles =
            position.angles ? toAngles(preset.angles, *position.angles) : base::Point{0, 0, 0};
        std::vector<std::string>& row = sheet.rows.emplace_back();
        for (const Field& field : fields) {
            if (field.holds == Holds::More) {
                for (const std::size_t column : more) {
                    row.push_back(position.cells.at(column));
                }
            } else {
                row.push_back(preset.split && field.holds >= Holds::Shift1 &&
                                      field.holds <= Holds::Shift3
                                  ? numberText(rest.at(static_cast<std::size_t>(field.holds) -
                                                       static_cast<std::size_t>(Holds::Shift1)))
                                  : cellOf(field, list, i, stated, angles, tomogram));
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
            return fields[i].name.empty() ? static_cast<int>(i) : sheet.column(fields[i].name);
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
        if (const auto number = numberOf(names.back())) {
            names.back() = numberText(*number); // 24.000000 is tomogram 24
        }
    }
    return rowsOfScene(names, list, name);
}

} // namespace

void takeSheet(const Sheet& read, const Preset& preset, PositionList& list,
               const std::filesystem::path& name) {
    const Sheet sheet = adaptedSheet(read, preset, list, name);
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
    // Of a picture, one angle alone.
    const bool inPlane = std::ranges::find(fields, Holds::Angle1, &Field::holds) == fields.end();
    for (const std::size_t number : rowsIn(sheet, tomogramColumn(sheet, fields), list, name)) {
        const auto& row = sheet.rows[number];
        const std::size_t line = number + 1;
        const auto value = [&](Holds holds) -> std::optional<double> {
            return numberIn(row, columns.at(static_cast<std::size_t>(holds)), name);
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
        const base::Extents given = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
        const bool deep = value(Holds::Depth).has_value() && given.z > 1;
        if (position.box.x > 0 && given.x > 0 &&
            (position.box.x != given.x || position.box.y != given.y ||
             (deep && position.box.z != given.z))) {
            failInput(name, "row " + std::to_string(line) + " states a box of " +
                                base::toString(position.box) + " voxels, but " +
                                base::toString(given) +
                                " are given (--box, or a comment of the "
                                "list)");
        }
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
        if (c && ((a && b) || inPlane)) {
            position.angles = fromAngles(preset.angles, {a.value_or(0), b.value_or(0), *c});
        }
        placeAt(preset, list, point, position);
        list.positions.push_back(std::move(position));
    }
}

} // namespace flcc::io::detail::lists
