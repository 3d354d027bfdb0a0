#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/headers.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/lists/text_lists.h"
#include "engine/io/lists/tomograms.h"

namespace flcc::io::detail::lists {

namespace {

std::string pointText(const base::Point& point) {
    return numberText(point[0]) + " " + numberText(point[1]) + " " + numberText(point[2]);
}

std::optional<base::Extents> extentsIn(std::string_view text) {
    std::array<std::int64_t, 3> edges{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto result = std::from_chars(text.data(), text.data() + text.size(), edges[axis]);
        if (result.ec != std::errc() || edges[axis] < 1) {
            return std::nullopt;
        }
        text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
        if (axis < 2) {
            if (!text.starts_with('x')) {
                return std::nullopt;
            }
            text.remove_prefix(1);
        }
    }
    return base::Extents{edges[0], edges[1], edges[2]};
}

/// "path (100x90x1 voxels)".
struct NamedExtents {
    std::string name;
    std::optional<base::Extents> extents;
};
NamedExtents namedExtents(const std::string& value) {
    const std::size_t open = value.rfind(" (");
    if (open == std::string::npos) {
        return {value, {}};
    }
    return {value.substr(0, open), extentsIn(std::string_view(value).substr(open + 2))};
}

std::vector<double> numbersIn(std::string_view text) {
    std::vector<double> numbers;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (const auto number = numberOf(text.substr(0, end))) {
            numbers.push_back(*number);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return numbers;
}

/// "...; unit mm (header); axes RAS: ...".
void takeUnit(std::string_view text, base::Geometry& geometry) {
    const std::size_t at = text.find("unit ");
    if (at == std::string_view::npos) {
        return;
    }
    text.remove_prefix(at + 5);
    geometry.unit = text.substr(0, text.find(" ("));
    geometry.unitSource = text.find("(header)") != std::string_view::npos ? base::UnitSource::Header
                          : text.find("(user)") != std::string_view::npos
                              ? base::UnitSource::User
                              : base::UnitSource::Missing;
    geometry.axes = text.find("axes RAS") != std::string_view::npos   ? base::WorldAxes::Ras
                    : text.find("axes LPS") != std::string_view::npos ? base::WorldAxes::Lps
                                                                      : base::WorldAxes::Unnamed;
}

bool takePoint(std::string_view value, base::Point& point) {
    const std::vector<double> numbers = numbersIn(value);
    if (numbers.size() == 3) {
        std::ranges::copy(numbers, point.begin());
    }
    return numbers.size() == 3;
}

/// Those that commentText() replaces: the name of a scene must be found again.
std::string lettersOutsideComments(char separator) {
    std::string letters = "\"\x7f";
    letters += separator;
    for (char control = 1; control < ' '; ++control) {
        letters += control;
    }
    return letters;
}

bool same(double a, double b) { return !differ(a, b); }
bool same(const base::Extents& a, const base::Extents& b) { return a == b; }
std::string factText(double value) { return numberText(value); }
std::string factText(const base::Extents& value) { return base::toString(value); }

/// Takes what a comment states. **Errors**: Problem where another value was given.
template <class T>
void takeFact(const std::string& key, const std::optional<T>& stated, std::optional<T>& known) {
    if (stated && known && !same(*stated, *known)) {
        std::string option = key;
        std::ranges::replace(option, ' ', '-');
        throw base::Error(base::ErrorCode::Problem,
                          "the list states " + key + " " + factText(*stated) + ", but --" + option +
                              " is " + factText(*known) + "; leave the option out or correct it");
    }
    known = known ? known : stated;
}

} // namespace

std::vector<std::string> placeComments(const PositionList& list, char separator) {
    const ListPlace& place = list.place;
    const base::Geometry stated = base::asStated(place.geometry);
    const auto text = [&](const std::string& line) { return commentText(line, separator); };
    const std::string stored = base::storedText(place.scene, lettersOutsideComments(separator));
    std::vector<std::string> lines{"FLCC " + list.noun + "s", "scene: " + stored + " (" +
                                                                  base::toString(place.extents) +
                                                                  " voxels)"};
    if (!place.sha256.empty()) {
        lines.push_back("sha256 of the scene: " + text(place.sha256));
    }
    lines.push_back("wx wy wz: the centre in world units; " + text(unitText(place.geometry)));
    lines.push_back("spacing: " + pointText(stated.spacing));
    lines.push_back("origin: " + pointText(stated.origin));
    std::string direction = "direction (rows):";
    for (const double value : stated.direction) {
        direction += " " + numberText(value);
    }
    lines.push_back(direction);
    const ListUnknowns& unknowns = place.unknowns;
    if (unknowns.binning) {
        lines.push_back("binning: " + numberText(*unknowns.binning) + " " +
                        std::string(name(unknowns.binnedBy)));
    }
    if (unknowns.unbinnedPixel) {
        lines.push_back("unbinned pixel: " + numberText(*unknowns.unbinnedPixel) + " angstrom");
    }
    if (unknowns.unbinnedSize) {
        lines.push_back("unbinned size: " + base::toString(*unknowns.unbinnedSize));
    }
    return lines;
}

std::vector<std::string> formatComments(const PositionList& list, const Preset& preset,
                                        char separator) {
    std::vector<std::string> lines = placeComments(list, separator);
    lines.insert(lines.begin() + 1,
                 {"format: " + std::string(preset.info.name),
                  "positions: " + commentText(std::string(preset.info.convention), separator)});
    if (!preset.info.reference || list.isOfBlobs()) {
        return lines;
    }
    lines.insert(lines.begin() + 3, "point: " + std::string(kReferencePoint));
    if (const auto common = templateOf(list)) {
        const auto& [box, reference] = *common;
        lines.push_back("box: " + base::toString(box));
        if (reference != rotation::toReferenceVoxel(box)) { // it was resampled
            lines.push_back("reference: " + pointText(reference));
        }
    }
    return lines;
}

void takeComments(const std::vector<std::string>& comments, PositionList& list) {
    ListPlace& place = list.place;
    base::Geometry geometry = place.geometry;
    bool stated = false;
    // Lines that are made anew; others are kept.
    constexpr std::array<std::string_view, 10> kOfPlace{
        "format",         "positions",     "point", "voxel of the scene", "binning",
        "unbinned pixel", "unbinned size", "box",   "reference",          "centre"};
    const bool asked = place.unknowns.box.has_value(); // a box that was given counts
    for (const std::string& comment : comments) {
        const std::string line = trimmed(comment); // as it is read after it is written again
        const std::size_t colon = line.find(": ");
        const std::string key = line.substr(0, colon);
        const std::string value = colon == std::string::npos ? "" : line.substr(colon + 2);
        if (key == "scene") {
            const NamedExtents scene = namedExtents(value);
            place.scene = base::restoredText(scene.name);
            place.extents = scene.extents.value_or(place.extents);
        } else if (key == "sha256 of the scene") {
            place.sha256 = value;
        } else if (key == "wx wy wz") {
            takeUnit(value, geometry);
        } else if (key == "spacing") {
            stated = takePoint(value, geometry.spacing) || stated;
        } else if (key == "origin") {
            takePoint(value, geometry.origin);
        } else if (key == "direction (rows)") {
            const std::vector<double> numbers = numbersIn(value);
            if (numbers.size() == 9) {
                std::ranges::copy(numbers, geometry.direction.begin());
            }
        } else if (key == "binning") {
            if (!place.unknowns.binning) {
                place.unknowns.binnedBy =
                    value.ends_with("average") ? BinnedBy::Average : BinnedBy::Crop;
            }
            takeFact(key, numberOf(value.substr(0, value.find(' '))), place.unknowns.binning);
        } else if (key == "unbinned pixel") {
            takeFact(key, numberOf(value.substr(0, value.find(' '))), place.unknowns.unbinnedPixel);
        } else if (key == "unbinned size") {
            takeFact(key, extentsIn(value), place.unknowns.unbinnedSize);
        } else if (key == "box" && !asked) {
            place.unknowns.box = extentsIn(value);
        } else if (base::Point reference{};
                   key == "reference" && !asked && takePoint(value, reference)) {
            place.unknowns.reference = reference;
        } else if (std::ranges::find(kOfPlace, key) == kOfPlace.end() && key != line) {
            list.comments.push_back(line);
        }
    }
    if (stated) {
        place.geometry = base::asStated(geometry); // the same change of signs leads back
    }
}

std::optional<base::Point> referenceIn(const std::vector<std::string>& comments, int templ) {
    const std::string key = "resampled " + std::to_string(templ) + ": ";
    for (const std::string& line : comments) {
        if (base::Point reference{};
            line.starts_with(key) && takePoint(line.substr(key.size()), reference)) {
            return reference;
        }
    }
    return std::nullopt;
}

Sheet ownSheet(const PositionList& list, char separator) {
    Sheet sheet;
    sheet.comments = placeComments(list, separator);
    if (!list.isOfBlobs()) {
        sheet.comments.push_back("centre: " + commentText(kCentre, separator));
    }
    for (const std::string& line : list.comments) {
        sheet.comments.push_back(commentText(line, separator));
    }
    for (const ListColumn& column : list.columns) {
        sheet.columns.push_back(column.name);
    }
    for (const ListedPosition& position : list.positions) {
        sheet.rows.push_back(position.cells);
    }
    return sheet;
}

namespace {

/// The columns of a table that another program may have changed: those of a group make an array
/// only where all three are there.
void takeColumns(const Sheet& sheet, const std::vector<ListColumn>& known, PositionList& list,
                 const std::filesystem::path& name) {
    std::map<std::string, int> members;
    for (const std::string& column : sheet.columns) {
        const auto found = std::ranges::find(known, column, &ListColumn::name);
        list.columns.push_back(found == known.end() ? ListColumn{column} : *found);
        if (std::ranges::count(sheet.columns, column) > 1) {
            failInput(name, "two columns have the name \"" + column + "\"");
        }
        ++members[list.columns.back().group];
    }
    for (ListColumn& column : list.columns) {
        if (members[column.group] != 3) {
            column.group.clear();
        }
    }
}

/// Which rows are of the scene: all, unless a column names their tomograms.
std::vector<bool> rowsTaken(const Sheet& sheet, PositionList& list,
                            const std::filesystem::path& name) {
    const int column = sheet.column(kTomogramColumn);
    std::vector<bool> taken(sheet.rows.size(), column < 0);
    if (column >= 0) {
        std::vector<std::string> names;
        for (const auto& row : sheet.rows) {
            const auto at = static_cast<std::size_t>(column);
            names.push_back(at < row.size() ? row[at] : std::string());
        }
        for (const std::size_t row : rowsOfScene(names, list, name)) {
            taken[row] = true;
        }
    }
    return taken;
}

} // namespace

void takeOwnSheet(const Sheet& sheet, PositionList& list, const std::filesystem::path& name) {
    const bool blobs = sheet.column("strength") >= 0;
    list.noun = blobs ? "blob" : "peak";
    list.scoreName = blobs ? "strength" : "score";
    const std::array<int, 3> axes{sheet.column(blobs ? "x" : "cx"),
                                  sheet.column(blobs ? "y" : "cy"),
                                  sheet.column(blobs ? "z" : "cz")};
    if (std::ranges::min(axes) < 0) {
        failInput(name, "the list has no columns for the centre");
    }
    std::vector<base::Extents> templates;
    for (const std::string& line : sheet.comments) {
        if (line.starts_with("template")) {
            const std::size_t colon = line.find(": ");
            if (colon != std::string::npos) {
                templates.push_back(
                    namedExtents(line.substr(colon + 2)).extents.value_or(base::Extents{0, 0, 0}));
            }
        }
    }
    takeColumns(sheet, blobs ? blobColumns() : peakColumns(), list, name);
    std::size_t number = 0;
    const std::vector<bool> taken = rowsTaken(sheet, list, name);
    for (const auto& row : sheet.rows) {
        ++number;
        if (!taken[number - 1]) {
            continue;
        }
        const auto value = [&](int column) { return numberIn(row, column, name); };
        ListedPosition position;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto coordinate = value(axes[axis]);
            if (!coordinate) {
                failInput(name, "row " + std::to_string(number) + " has no centre");
            }
            position.centre[axis] = *coordinate;
        }
        position.score = value(sheet.column(list.scoreName));
        const auto phi = value(sheet.column("phi"));
        const auto theta = value(sheet.column("theta"));
        const auto psi = value(sheet.column("psi"));
        if (phi && theta && psi) {
            position.angles = base::Point{*phi, *theta, *psi};
        }
        position.mirrored = value(sheet.column("mirror")) == 1.0;
        const double scale = value(sheet.column("scale")).value_or(1);
        position.scale = scale > 0 ? scale : 1;
        const double templ = value(sheet.column("template")).value_or(0);
        if (templ >= 0 && templ < static_cast<double>(templates.size())) {
            position.box = templates[static_cast<std::size_t>(templ)];
            position.reference = referenceIn(sheet.comments, static_cast<int>(templ));
        }
        if (const auto radius = value(sheet.column("radius"))) {
            position.box = boxOfRadius(*radius, list.place.flat());
        }
        if (position.box.x == 0 && list.place.unknowns.box) {
            position.box = *list.place.unknowns.box;
        }
        const int judged = sheet.column(kDecisionColumn);
        if (judged >= 0 && static_cast<std::size_t>(judged) < row.size()) {
            position.decision = match::decisionNamed(row[static_cast<std::size_t>(judged)]);
        }
        position.cells = row;
        position.cells.resize(sheet.columns.size());
        list.positions.push_back(std::move(position));
    }
}

bool isAnchored(const Sheet& sheet) {
    return sheet.anyCaseColumn("x") >= 0 && sheet.anyCaseColumn("y") >= 0 &&
           sheet.column("cx") < 0 && sheet.column("strength") < 0;
}

void takeAnchoredSheet(const Sheet& sheet, PositionList& list, const std::filesystem::path& name) {
    const ListUnknowns& unknowns = list.place.unknowns;
    if (!unknowns.anchor) {
        throw base::Error(base::ErrorCode::Problem,
                          shown(name) + " states x and y, but not of which point; give --anchor "
                                        "corner (the first voxel of a box) or --anchor centre");
    }
    const bool corner = *unknowns.anchor == Anchor::Corner;
    if (corner && !unknowns.box) {
        throw base::Error(base::ErrorCode::Problem,
                          shown(name) + " states corners; the centre follows with the size of the "
                                        "boxes: give --box");
    }
    const base::Extents box = unknowns.box.value_or(base::Extents{0, 0, 0});
    const base::Point edges{static_cast<double>(box.x), static_cast<double>(box.y),
                            static_cast<double>(box.z)};
    const std::array<int, 3> axes{sheet.anyCaseColumn("x"), sheet.anyCaseColumn("y"),
                                  sheet.anyCaseColumn("z")};
    for (const std::string& column : sheet.columns) {
        list.columns.push_back({column});
    }
    for (std::size_t row = 0; row < sheet.rows.size(); ++row) {
        const auto value = [&](int column) { return numberIn(sheet.rows[row], column, name); };
        ListedPosition position;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto stated = value(axes[axis]);
            if (!stated && (axis < 2 || axes[axis] >= 0)) {
                failInput(name, "row " + std::to_string(row + 1) + " has no position");
            }
            position.centre[axis] =
                stated.value_or(0) + (corner && stated ? (edges[axis] - 1) / 2 : 0);
        }
        position.score = value(sheet.anyCaseColumn("score"));
        position.box = box;
        const int judged = sheet.column(kDecisionColumn);
        if (judged >= 0 && static_cast<std::size_t>(judged) < sheet.rows[row].size()) {
            position.decision =
                match::decisionNamed(sheet.rows[row][static_cast<std::size_t>(judged)]);
        }
        position.cells = sheet.rows[row];
        list.positions.push_back(std::move(position));
    }
}

} // namespace flcc::io::detail::lists
