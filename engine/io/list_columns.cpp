// The columns of lists of peaks and blobs, and the cells of positions that are not from a run.

#include <algorithm>
#include <cmath>

#include "engine/base/spacing.h"
#include "engine/base/text.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/list_file.h"
#include "engine/io/lists/peak_columns.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io {

namespace lists = detail::lists;

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

void addStackColumn(PositionList& list, const std::vector<std::size_t>& ranks) {
    const auto old = std::ranges::find(list.columns, kStackColumn, &ListColumn::name);
    const auto column = old - list.columns.begin();
    if (old == list.columns.end()) {
        list.columns.push_back({std::string(kStackColumn)});
    }
    for (ListedPosition& position : list.positions) {
        position.cells.resize(list.columns.size());
        position.cells[static_cast<std::size_t>(column)].clear();
    }
    for (std::size_t box = 0; box < ranks.size(); ++box) {
        list.positions.at(ranks[box] - 1).cells[static_cast<std::size_t>(column)] =
            std::to_string(box);
    }
    constexpr const char* kComment =
        "stack: number of the box of a row in the file of --stack; counts from 0; empty where the "
        "box leaves the scene";
    if (std::ranges::find(list.comments, kComment) == list.comments.end()) {
        list.comments.emplace_back(kComment);
    }
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
    for (std::size_t i = 0; i < list.positions.size(); ++i) {
        ListedPosition& position = list.positions[i];
        position.cells = detail::cellsOf(position, list.place.geometry, i + 1);
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
