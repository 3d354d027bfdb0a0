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
#include "engine/io/lists/text_lists.h"

namespace flcc::io::detail::lists {

namespace {

using JsonValue = nlohmann::ordered_json;

template <class Change> void changeTexts(JsonValue& json, const Change& change) {
    if (json.is_string()) {
        json = change(json.get_ref<const std::string&>());
    } else if (json.is_structured()) {
        for (JsonValue& each : json) {
            changeTexts(each, change);
        }
    }
}

/// Names of files may be no UTF-8.
std::string dumped(JsonValue json) {
    changeTexts(json, [](const std::string& text) { return base::storedText(text); });
    return json.dump(2, ' ', false, JsonValue::error_handler_t::replace) + "\n";
}

/// Parses and hands the document on; any error of the library is a damaged list.
template <class Take>
void parsed(std::string_view text, const std::filesystem::path& name, const Take& take) {
    if (base::nestsTooDeep(text)) {
        failInput(name, "its brackets are nested too deep, or an object has more than 10000 keys");
    }
    try {
        JsonValue document = JsonValue::parse(text);
        changeTexts(document, [](const std::string& each) { return base::restoredText(each); });
        take(document);
    } catch (const JsonValue::exception& error) {
        failInput(name, "it is not a list in JSON: " + base::excerpt(error.what()));
    }
}

base::Point pointOf(const JsonValue& json) {
    return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

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

/// Where the axes x and y of LPS point the other way.
base::Point turned(const base::Point& point) { return {0.0 - point[0], 0.0 - point[1], point[2]}; }

constexpr Matrix kTurn{-1, 0, 0, 0, -1, 0, 0, 0, 1};

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

std::string slicerText(const PositionList& list) {
    const base::Geometry& geometry = list.place.geometry;
    const bool ras = geometry.axes == base::WorldAxes::Ras;
    JsonValue points = JsonValue::array();
    for (const ListedPosition& position : list.positions) {
        const std::string number = std::to_string(points.size() + 1);
        std::vector<std::string> words;
        if (position.score) {
            words.push_back(list.scoreName + " " + numberText(*position.score));
        }
        for (std::size_t i = 0; i < list.columns.size(); ++i) {
            if (list.columns[i].name == "sigma") {
                words.push_back("sigma " + position.cells[i] + " voxels");
            }
        }
        if (position.decision) {
            words.push_back(decisionText(position));
        }
        std::string description;
        for (const std::string& word : words) {
            description += (description.empty() ? "" : ", ") + word;
        }
        JsonValue point{{"id", number},
                        {"label", list.noun + "-" + number},
                        {"description", description},
                        {"position", base::toWorld(geometry, position.centre)}};
        if (position.angles) {
            const Matrix turn = rotation::product(geometry.direction, matrixOf(*position.angles));
            point["orientation"] = ras ? rotation::product(kTurn, turn) : turn;
        }
        point["selected"] = position.decision != match::Decision::Reject;
        point["locked"] = false;
        point["visibility"] = true;
        points.push_back(std::move(point));
    }
    return dumped(
        {{"@schema", "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/"
                     "Markups/Resources/Schema/markups-schema-v1.0.3.json#"},
         {"markups",
          {{{"type", "Fiducial"},
            {"coordinateSystem", ras ? "RAS" : "LPS"},
            {"coordinateUnits", geometry.unit},
            {"controlPoints", points}}}}});
}

void takeSlicer(std::string_view text, PositionList& list, const std::filesystem::path& name) {
    parsed(text, name, [&](const JsonValue& document) {
        const base::Geometry& geometry = list.place.geometry;
        const Matrix back = rotation::inverse(geometry.direction);
        for (const JsonValue& markup : document.at("markups")) {
            const std::string system = markup.value("coordinateSystem", "LPS");
            const bool ras = system == "RAS" || system == "0";
            for (const JsonValue& point : markup.at("controlPoints")) {
                const base::Point place = pointOf(point.at("position"));
                ListedPosition position;
                position.centre = fromWorld(geometry, ras ? turned(place) : place);
                position.box = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
                const std::string description = point.value("description", "");
                for (const char* word : {"score ", "strength "}) {
                    if (description.starts_with(word)) {
                        const std::string rest = description.substr(std::string(word).size());
                        position.score = numberOf(rest.substr(0, rest.find(',')));
                    }
                }
                const std::size_t last = description.rfind(", ");
                position.decision = match::decisionNamed(
                    description.substr(last == std::string::npos ? 0 : last + 2));
                if (point.contains("orientation")) {
                    const auto turn = point["orientation"].get<Matrix>();
                    position.angles = anglesOf(
                        rotation::product(back, ras ? rotation::product(kTurn, turn) : turn));
                }
                list.positions.push_back(std::move(position));
            }
        }
    });
}

std::string copickText(const PositionList& list, const Preset& preset) {
    JsonValue points = JsonValue::array();
    for (const ListedPosition& position : list.positions) {
        const base::Point place =
            toFormat(preset, list.place, statedPoint(preset, list, position), position.box);
        const Matrix turn =
            position.angles ? matrixOf(*position.angles) : Matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
        points.push_back({{"location", {{"x", place[0]}, {"y", place[1]}, {"z", place[2]}}},
                          {"transformation_",
                           {{turn[0], turn[1], turn[2], 0.0},
                            {turn[3], turn[4], turn[5], 0.0},
                            {turn[6], turn[7], turn[8], 0.0},
                            {0.0, 0.0, 0.0, 1.0}}},
                          {"instance_id", 0},
                          {"score", position.score.value_or(1)}});
    }
    const bool angles = std::ranges::any_of(
        list.positions, [](const ListedPosition& each) { return each.angles.has_value(); });
    return dumped({{"pickable_object_name", list.noun},
                   {"user_id", "flcc"},
                   {"session_id", "1"},
                   {"run_name", std::filesystem::path(list.place.scene).stem().string()},
                   {"voxel_spacing", voxelAngstrom(list.place)[0]},
                   {"unit", "angstrom"},
                   {"trust_orientation", angles},
                   {"points", points}});
}

void takeCopick(std::string_view text, const Preset& preset, PositionList& list,
                const std::filesystem::path& name) {
    parsed(text, name, [&](const JsonValue& document) {
        const bool turns = document.value("trust_orientation", true);
        const auto object = document.value("pickable_object_name", std::string());
        if (!object.empty() && object != list.noun) { // the noun: written by copickText()
            list.species = {object};
        }
        for (const JsonValue& point : document.at("points")) {
            const JsonValue& place = point.at("location");
            ListedPosition position;
            position.species = list.species.empty() ? -1 : 0;
            position.box = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
            const base::Point stated =
                fromFormat(preset, list.place,
                           {place.at("x").get<double>(), place.at("y").get<double>(),
                            place.at("z").get<double>()},
                           position.box);
            if (point.contains("score") && point["score"].is_number()) {
                position.score = point["score"].get<double>();
            }
            if (turns && point.contains("transformation_") && point["transformation_"].is_array()) {
                const JsonValue& rows = point["transformation_"];
                Matrix turn{};
                for (std::size_t i = 0; i < 9; ++i) {
                    turn[i] = rows.at(i / 3).at(i % 3).get<double>();
                }
                position.angles = anglesOf(turn);
            }
            placeAt(preset, list, stated, position);
            list.positions.push_back(std::move(position));
        }
    });
}

} // namespace flcc::io::detail::lists
