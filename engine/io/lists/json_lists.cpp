#include "engine/io/lists/json_lists.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/base/spacing.h"
#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/lists/json_text.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io::detail::lists {

namespace {

base::Extents extentsOf(const JsonValue& json) {
    return {json.at(0).get<std::int64_t>(), json.at(1).get<std::int64_t>(),
            json.at(2).get<std::int64_t>()};
}

JsonValue toJson(const base::Extents& extents) {
    return JsonValue::array({extents.x, extents.y, extents.z});
}

/// A cell of a table as a number, a text, or null.
JsonValue cellJson(const std::string& cell) {
    if (cell.empty()) {
        return nullptr;
    }
    if (const auto number = numberOf(cell)) {
        const bool whole = cell.find_first_not_of("-0123456789") == std::string::npos;
        return whole && cell.size() < 18 ? JsonValue(std::stoll(cell)) : JsonValue(*number);
    }
    return cell;
}

std::string cellText(const JsonValue& json) {
    return json.is_null()             ? ""
           : json.is_number_integer() ? std::to_string(json.get<std::int64_t>())
           : json.is_number()         ? numberText(json.get<double>())
                                      : json.get<std::string>();
}

} // namespace

bool hasKey(std::string_view json, std::string_view key) {
    if (base::nestsTooDeep(json)) {
        return false;
    }
    const JsonValue document = JsonValue::parse(json, nullptr, false);
    return document.is_object() && document.contains(std::string(key));
}

std::string jsonText(const PositionList& list) {
    const ListPlace& place = list.place;
    const base::Geometry geometry = base::asStated(place.geometry);
    const std::string rows = list.noun + "s";
    JsonValue document{
        {"image", place.scene},
        {"sha256", place.sha256.empty() ? JsonValue(nullptr) : JsonValue(place.sha256)},
        {"extents", toJson(place.extents)},
        {"index_base", 0},
        {"axis_order", "x y z"},
        {"centre", list.isOfBlobs() ? "of the blob" : kCentre},
        {"unit", geometry.unit},
        {"unit_source", base::name(geometry.unitSource)},
        {"world_axes", geometry.axes == base::WorldAxes::Unnamed
                           ? JsonValue(nullptr)
                           : JsonValue(base::name(geometry.axes))},
        {"spacing", geometry.spacing},
        {"origin", geometry.origin},
        {"direction", geometry.direction},
        {"notes", list.comments},
        {rows, JsonValue::array()}};
    for (const ListedPosition& position : list.positions) {
        JsonValue row = JsonValue::object();
        for (std::size_t i = 0; i < list.columns.size(); ++i) {
            const ListColumn& column = list.columns[i];
            if (column.group.empty()) {
                row[column.name] = cellJson(position.cells[i]);
            } else {
                row[column.group].push_back(cellJson(position.cells[i]));
            }
        }
        row["box"] = position.box.x > 0 ? toJson(position.box) : JsonValue(nullptr);
        document[rows].push_back(row);
    }
    return dumped(std::move(document));
}

namespace {

/// The columns of a row in its order. `usual` says which of them form a group; others are there in
/// some lists only, such as decisions, frames and what a comparison found.
std::vector<ListColumn> columnsOf(const JsonValue& row, const std::vector<ListColumn>& usual) {
    std::vector<ListColumn> columns;
    for (const auto& [key, value] : row.items()) {
        const std::size_t before = columns.size();
        std::copy_if(usual.begin(), usual.end(), std::back_inserter(columns),
                     [&key = key](const ListColumn& column) {
                         return column.group.empty() ? column.name == key : column.group == key;
                     });
        if (columns.size() == before && key != "box" && value.is_primitive()) {
            columns.push_back({key});
        }
    }
    return columns;
}

} // namespace

void takeJson(std::string_view text, PositionList& list, const std::filesystem::path& name) {
    parsed(text, name, [&](const JsonValue& document) {
        const bool blobs = document.contains("blobs");
        list.noun = blobs ? "blob" : "peak";
        list.scoreName = blobs ? "strength" : "score";
        list.columns = blobs ? blobColumns() : peakColumns();
        ListPlace& place = list.place;
        place.scene = document.at("image").get<std::string>();
        place.sha256 = document.contains("sha256") ? cellText(document["sha256"]) : "";
        place.extents = extentsOf(document.at("extents"));
        base::Geometry geometry;
        geometry.unit = document.at("unit").get<std::string>();
        const auto source = document.at("unit_source").get<std::string>();
        geometry.unitSource =
            source == base::name(base::UnitSource::Header) ? base::UnitSource::Header
            : source == base::name(base::UnitSource::User) ? base::UnitSource::User
                                                           : base::UnitSource::Missing;
        const std::string axes = cellText(document.at("world_axes"));
        geometry.axes = axes == "RAS"   ? base::WorldAxes::Ras
                        : axes == "LPS" ? base::WorldAxes::Lps
                                        : base::WorldAxes::Unnamed;
        geometry.spacing = document.at("spacing").get<base::Point>();
        geometry.origin = document.at("origin").get<base::Point>();
        geometry.direction = document.at("direction").get<Matrix>();
        place.geometry = base::asStated(geometry);
        if (document.contains("notes")) {
            list.comments = document["notes"].get<std::vector<std::string>>();
        }
        const JsonValue& rows = document.at(list.noun + "s");
        const std::string judged(kDecisionColumn);
        if (!rows.empty() && rows.front().is_object()) {
            list.columns = columnsOf(rows.front(), list.columns);
        }
        for (const JsonValue& row : rows) {
            ListedPosition position;
            position.centre = pointOf(row.at("centre"));
            if (row.contains(list.scoreName) && row[list.scoreName].is_number()) {
                position.score = row[list.scoreName].get<double>();
            }
            if (row.contains("box") && row["box"].is_array()) {
                position.box = extentsOf(row["box"]);
            }
            if (row.contains(judged)) {
                position.decision = match::decisionNamed(cellText(row[judged]));
            }
            if (row.contains("angles") &&
                std::ranges::all_of(row["angles"], &JsonValue::is_number)) {
                position.angles = pointOf(row["angles"]);
            }
            if (row.contains("template") && row["template"].is_number_integer()) {
                position.reference = referenceIn(list.comments, row["template"].get<int>());
            }
            position.mirrored = row.contains("mirror") && row["mirror"] == 1;
            if (row.contains("scale") && row["scale"].is_number() && row["scale"] > 0) {
                position.scale = row["scale"].get<double>();
            }
            std::map<std::string, std::size_t> taken;
            for (const ListColumn& column : list.columns) {
                const bool grouped = !column.group.empty();
                const std::string& key = grouped ? column.group : column.name;
                position.cells.push_back(!row.contains(key) ? ""
                                         : grouped          ? cellText(row[key].at(taken[key]++))
                                                            : cellText(row[key]));
            }
            list.positions.push_back(std::move(position));
        }
    });
}

} // namespace flcc::io::detail::lists
