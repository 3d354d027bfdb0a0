// The columns of lists of peaks and blobs, and the cells of positions that are not from a run.

#include <algorithm>
#include <cmath>

#include "engine/base/spacing.h"
#include "engine/base/text.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/list_file.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io {

namespace lists = detail::lists;

const std::vector<ListColumn>& peakColumns() {
    static const std::vector<ListColumn> columns{{"rank"},
                                                 {"score"},
                                                 {"x", "corner"},
                                                 {"y", "corner"},
                                                 {"z", "corner"},
                                                 {"cx", "centre"},
                                                 {"cy", "centre"},
                                                 {"cz", "centre"},
                                                 {"wx", "world"},
                                                 {"wy", "world"},
                                                 {"wz", "world"},
                                                 {"template"},
                                                 {"rotation"},
                                                 {"scale"},
                                                 {"zscore"},
                                                 {"false_positives"},
                                                 {"status"},
                                                 {"bound"},
                                                 {"rival"},
                                                 {"phi", "angles"},
                                                 {"theta", "angles"},
                                                 {"psi", "angles"},
                                                 {"sharpness"},
                                                 {"mirror"},
                                                 {"refined_score"},
                                                 {"search_mean"},
                                                 {"search_deviation"},
                                                 {"search_z"},
                                                 {"polarity"},
                                                 {"error_x"},
                                                 {"error_y"},
                                                 {"error_z"},
                                                 {"placed_by"},
                                                 {"error_rotation"},
                                                 {"error_scale"},
                                                 {"scale_end"},
                                                 {"made_of"}};
    return columns;
}

const std::vector<ListColumn>& blobColumns() {
    static const std::vector<ListColumn> columns{
        {"rank"},        {"strength"},        {"x", "centre"},      {"y", "centre"},
        {"z", "centre"}, {"sigma", "", true}, {"radius", "", true}, {"wx", "world"},
        {"wy", "world"}, {"wz", "world"}};
    return columns;
}

base::Extents boxOfRadius(double radius, bool flat) {
    // Odd, so that its middle is a voxel: the same point in lists of centres and of voxels m / 2.
    const auto edge =
        2 * static_cast<std::int64_t>(std::ceil(std::clamp(radius, 0.5, 1e6) - 0.5)) + 1;
    return {edge, edge, flat ? 1 : edge};
}

void leaveDecided(PositionList& list, const std::vector<match::Decision>& decisions) {
    std::erase_if(list.positions, [&decisions](const ListedPosition& each) {
        return std::ranges::find(decisions, each.decision.value_or(match::Decision::Undecided)) ==
               decisions.end();
    });
}

void fillPeakCells(PositionList& list) {
    list.columns = peakColumns();
    const bool judged = lists::isJudged(list);
    if (judged) {
        list.columns.push_back({std::string(kDecisionColumn)});
    }
    const auto real = [](double value) { return detail::numberText(value); };
    for (std::size_t i = 0; i < list.positions.size(); ++i) {
        ListedPosition& position = list.positions[i];
        const base::Point& c = position.centre;
        const base::Point world = base::toWorld(list.place.geometry, c);
        const auto corner = [&](std::size_t axis, std::int64_t edge) {
            const double first = std::floor(c[axis] - static_cast<double>(edge - 1) / 2 + 0.5);
            return edge > 0 && std::abs(first) < 1e15
                       ? std::to_string(static_cast<std::int64_t>(first))
                       : std::string();
        };
        const auto angle = [&](std::size_t axis) {
            return position.angles ? real((*position.angles)[axis]) : std::string();
        };
        position.cells = {std::to_string(i + 1),
                          position.score ? real(*position.score) : "",
                          corner(0, position.box.x),
                          corner(1, position.box.y),
                          corner(2, position.box.z),
                          real(c[0]),
                          real(c[1]),
                          real(c[2]),
                          real(world[0]),
                          real(world[1]),
                          real(world[2]),
                          "",
                          "",
                          "",
                          "",
                          "",
                          "",
                          "",
                          "",
                          angle(0),
                          angle(1),
                          angle(2),
                          "",
                          position.mirrored ? "1" : ""};
        position.cells.resize(peakColumns().size()); // what is not known here is empty
        if (judged) {
            position.cells.push_back(lists::decisionText(position));
        }
    }
}

std::string unitText(const base::Geometry& geometry) {
    const std::string axes =
        geometry.axes == base::WorldAxes::Unnamed ? ""
        : geometry.axes == base::WorldAxes::Ras
            ? "; axes RAS: x to the right; y to the front (anterior); z up (superior)"
            : "; axes LPS: x to the left; y to the back (posterior); z up (superior)";
    return "unit " + geometry.unit + " (" + std::string(base::name(geometry.unitSource)) + ")" +
           axes;
}

std::string commentText(const std::string& text, char separator) {
    std::string line = base::oneLine(text);
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool ofSentence = line[i] == ',' && i + 1 < line.size() && line[i + 1] == ' ';
        if (line[i] == separator || line[i] == '"') {
            line[i] = ofSentence ? ';' : ' ';
        }
    }
    return line;
}

} // namespace flcc::io
