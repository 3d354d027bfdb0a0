#include "engine/io/lists/adapted_sheet.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"

namespace flcc::io::detail::lists {

namespace {

/// A table on its way into the columns of its format.
struct Adapting {
    Sheet& sheet;
    const Preset& preset;
    PositionList& list;
    const std::filesystem::path& name;

    [[nodiscard]] std::optional<double> number(const std::vector<std::string>& row,
                                               int column) const {
        const auto at = static_cast<std::size_t>(column);
        return column >= 0 && at < row.size() ? numberOf(row[at]) : std::nullopt;
    }
    /// The different numbers of a column; empty without it.
    [[nodiscard]] std::set<double> valuesOf(std::string_view column) const {
        std::set<double> values;
        const int at = sheet.column(column);
        for (const auto& row : sheet.rows) {
            if (const auto value = number(row, at)) {
                values.insert(*value);
            }
        }
        return values;
    }
};

bool isWhole(double value) { return value >= 0 && value == std::floor(value); }

/// Lines of point2model: x y z, contour x y z, or object contour x y z.
void adaptPoints(Adapting& to) {
    const std::size_t columns = to.sheet.rows.empty() ? 3 : to.sheet.rows.front().size();
    if (columns < 3 || columns > 5) {
        failInput(to.name, "its lines have " + std::to_string(columns) +
                               " numbers; those of points of IMOD have x y z, contour x y z, or "
                               "object contour x y z");
    }
    std::set<std::pair<double, double>> contours;
    for (std::size_t i = 0; i < to.sheet.rows.size(); ++i) {
        auto& row = to.sheet.rows[i];
        const std::string line = "line " + std::to_string(i + 1) + " of the points has ";
        if (row.size() != columns) {
            failInput(to.name, line + std::to_string(row.size()) + " numbers, the first has " +
                                   std::to_string(columns));
        }
        std::pair<double, double> contour{0, 0};
        for (std::size_t column = 0; column + 3 < columns; ++column) {
            const double value = numberOf(row[column]).value_or(-1);
            if (!isWhole(value)) {
                failInput(to.name, line + "no " + (column + 4 < columns ? "object" : "contour") +
                                       " but \"" + base::excerpt(row[column]) + "\" in column " +
                                       std::to_string(column + 1));
            }
            (column == 0 ? contour.first : contour.second) = value;
        }
        contours.insert(contour);
        row.erase(row.begin(), row.end() - 3);
    }
    if (columns > 3 && !to.sheet.rows.empty()) {
        to.list.notes.push_back(
            "the lines were read as " +
            std::string(columns == 4 ? "contour x y z" : "object contour x y z") +
            ", as point2model of IMOD reads them; the points of " +
            std::to_string(contours.size()) + (contours.size() == 1 ? " contour" : " contours") +
            " were joined");
    }
}

/// Points of napari: the last three axes are z, y and x.
void adaptNapari(Adapting& to) {
    if (to.sheet.column("shape-type") >= 0) {
        failInput(to.name, "it is a list of shapes of napari, whose rows are corners; save a layer "
                           "of points");
    }
    std::vector<int> axes;
    for (int axis = to.sheet.column("axis-0"); axis >= 0;
         axis = to.sheet.column("axis-" + std::to_string(axes.size()))) {
        axes.push_back(axis);
    }
    if (axes.size() < 2) {
        failInput(to.name, "points of napari have the columns axis-0 and axis-1");
    }
    for (std::size_t lost = 0; lost + 3 < axes.size(); ++lost) {
        const std::string column = "axis-" + std::to_string(lost);
        const std::set<double> values = to.valuesOf(column);
        if (values.size() > 1) {
            failInput(to.name, "its points have " + std::to_string(axes.size()) +
                                   " axes and lie at " + std::to_string(values.size()) +
                                   " places along " + column +
                                   "; FLCC reads the points of one image: save those of one "
                                   "channel or time");
        }
        to.list.notes.push_back(
            "the points have " + std::to_string(axes.size()) +
            " axes: the last three were taken as z, y and x, and " + column +
            (values.empty() ? std::string() : " (" + numberText(*values.begin()) + ")") +
            " was left out");
    }
    const std::size_t lost = axes.size() > 3 ? axes.size() - 3 : 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        to.sheet.columns[static_cast<std::size_t>(axes[i])] =
            i < lost ? "left out " + std::to_string(i) : "axis-" + std::to_string(i - lost);
    }
}

/// Results of ImageJ: one of Slice, Frame and Ch says the slice of a stack, for ImageJ calls the
/// slices of a stack without axes as the user does.
void adaptImageJ(Adapting& to) {
    std::vector<std::string> several;
    for (const char* column : {"Slice", "Frame", "Ch"}) {
        if (to.valuesOf(column).size() > 1) {
            several.emplace_back(column);
        }
    }
    const bool channels = several.size() == 2 && several.back() == "Ch";
    if (several.size() > 1 && !channels) {
        failInput(to.name, "its points are of several slices and several frames (columns Slice and "
                           "Frame); FLCC reads the points of one image: leave those of one frame");
    }
    if (channels) {
        to.list.notes.push_back("points of " + std::to_string(to.valuesOf("Ch").size()) +
                                " channels (column Ch) were read as those of one image");
        several.pop_back();
    }
    const bool deep = to.list.place.extents.x == 0 || !to.list.place.flat();
    if (several.empty() || several.front() == "Slice") {
        return;
    }
    const std::set<double> slices = to.valuesOf("Slice");
    if (!deep || slices.size() > 1 || (!slices.empty() && *slices.begin() > 1)) {
        failInput(to.name, "its points are of " +
                               std::to_string(to.valuesOf(several.front()).size()) +
                               (several.front() == "Frame" ? " frames" : " channels") +
                               " (column " + several.front() +
                               "); FLCC reads the points of one image: leave those of one");
    }
    to.list.notes.push_back("the column " + several.front() +
                            " was taken as the slice: the other columns name one slice only");
    for (std::string& column : to.sheet.columns) {
        column = column == "Slice" ? "left out" : column == several.front() ? "Slice" : column;
    }
}

/// Coordinates of Warp between 0 and 1 are shares of the extents.
void adaptShares(Adapting& to) {
    const base::Extents& extents = to.list.place.extents;
    const bool own = std::ranges::any_of(
        to.sheet.comments, [](const std::string& line) { return line.starts_with("format: "); });
    std::array<int, 3> axes{-1, -1, -1};
    for (const Field& field : to.preset.fields) {
        if (field.holds >= Holds::X && field.holds <= Holds::Z) {
            axes.at(static_cast<std::size_t>(field.holds) - static_cast<std::size_t>(Holds::X)) =
                to.sheet.column(field.name);
        }
    }
    bool between = false; // 0 and 1 alone are voxels
    for (const auto& row : to.sheet.rows) {
        for (const int axis : axes) {
            const double value = to.number(row, axis).value_or(-1);
            if (value < 0 || value > 1) {
                return;
            }
            between = between || (value > 0 && value < 1);
        }
    }
    if (own || !between) {
        return;
    }
    if (extents.x == 0) {
        failInput(to.name, "all its coordinates lie between 0 and 1, as the normalized ones of "
                           "Warp; give --scene, whose size they are shares of");
    }
    const double binning =
        to.preset.unit == PlaceUnit::Unbinned ? to.list.place.unknowns.binning.value_or(1) : 1;
    const std::array<std::int64_t, 3> edges{extents.x, extents.y, extents.z};
    for (auto& row : to.sheet.rows) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::string& cell = row[static_cast<std::size_t>(axes[axis])];
            cell =
                numberText(numberOf(cell).value_or(0) * static_cast<double>(edges[axis]) * binning);
        }
    }
    to.list.notes.push_back("all coordinates lie between 0 and 1: they were taken as shares of the "
                            "scene's size, as the normalized ones of Warp");
}

struct Adapter {
    ListFormat format;
    void (*adapt)(Adapting&);
};

constexpr std::array kAdapters{
    Adapter{ListFormat::Imod, adaptPoints}, Adapter{ListFormat::Napari, adaptNapari},
    Adapter{ListFormat::ImageJCsv, adaptImageJ}, Adapter{ListFormat::Warp, adaptShares},
    Adapter{ListFormat::Relion4, adaptShares}};

} // namespace

Sheet adaptedSheet(Sheet sheet, const Preset& preset, PositionList& list,
                   const std::filesystem::path& name) {
    Adapting adapting{sheet, preset, list, name};
    for (const Adapter& each : kAdapters) {
        if (each.format == preset.info.format) {
            each.adapt(adapting);
        }
    }
    return sheet;
}

} // namespace flcc::io::detail::lists
